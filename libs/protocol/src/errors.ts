// The two errors a request can meet, and the table of codes (docs/api.md). Anything else is a bug of ours: a 500.

export type ErrorType =
  'invalid_request_error' | 'authentication_error' | 'not_found_error' | 'rate_limit_error' | 'server_error';

/** The client's mistake, known before the first token. `param` is the path of the field, e.g. `messages[1].content`. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly type: ErrorType;
  readonly param: string | null;
  readonly code: string | null;

  constructor(
    message: string,
    details: { status?: number; type?: ErrorType; param?: string | null; code?: string | null } = {},
  ) {
    super(message);
    this.status = details.status ?? 400;
    this.type = details.type ?? 'invalid_request_error';
    this.param = details.param ?? null;
    this.code = details.code ?? null;
  }
}

/** A round failed: this reply ends, the others go on. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

/** The `error` object of a body or an event. */
export interface ErrorBody {
  readonly message: string;
  readonly type: ErrorType;
  readonly param: string | null;
  readonly code: string | null;
}

/** What the wire says of any error; internals of unknown errors stay out of it. */
export function toErrorBody(error: unknown): ErrorBody {
  if (error instanceof RequestError) {
    return { message: error.message, type: error.type, param: error.param, code: error.code };
  }
  const message = error instanceof EngineError ? error.message : 'internal error; the server log has the details';
  return { message, type: 'server_error', param: null, code: null };
}
