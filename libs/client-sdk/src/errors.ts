// What can go wrong, as one tree: every error of this client is a TensorFoldError.

import type { ErrorBody } from '@tensorfold/protocol/types';

export class TensorFoldError extends Error {
  override readonly name: string = 'TensorFoldError';
}

/** No answer came: the server is not there, or the connection broke. */
export class ConnectionError extends TensorFoldError {
  override readonly name = 'ConnectionError';
}

/** One of the client's own timeouts ran out; the message says which. */
export class TimeoutError extends TensorFoldError {
  override readonly name = 'TimeoutError';
}

/** The caller's signal was aborted. */
export class AbortedError extends TensorFoldError {
  override readonly name = 'AbortedError';
}

/** The server answered with an error status. */
export class HttpError extends TensorFoldError {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly type: string | null;
  readonly param: string | null;
  readonly code: string | null;
  /** For the server's log. */
  readonly requestId: string | null;
  readonly headers: Headers;

  constructor(status: number, body: Partial<ErrorBody> & { readonly message: string }, headers: Headers) {
    super(body.message);
    this.status = status;
    this.type = body.type ?? null;
    this.param = body.param ?? null;
    this.code = body.code ?? null;
    this.requestId = headers.get('x-request-id');
    this.headers = headers;
  }
}

/** A reply failed after it had begun; what came before it stands. */
export class StreamError extends TensorFoldError {
  override readonly name = 'StreamError';
  readonly type: string | null;
  readonly code: string | null;

  constructor(body: Partial<ErrorBody> & { readonly message: string }) {
    super(body.message);
    this.type = body.type ?? null;
    this.code = body.code ?? null;
  }
}

/** A stream ended before its last event. */
export class TruncatedError extends TensorFoldError {
  override readonly name = 'TruncatedError';
}

/** The server sent what is no JSON where JSON was due. */
export class ParseError extends TensorFoldError {
  override readonly name = 'ParseError';
}
