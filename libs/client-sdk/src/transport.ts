// One HTTP exchange: retries before the first byte, timeouts, aborts, and errors of one tree.

import type { ErrorBody } from '@tensorfold/protocol/types';
import { AbortedError, ConnectionError, HttpError, ParseError, TimeoutError } from './errors.ts';

export interface ClientOptions {
  /** Default http://127.0.0.1:8080/v1. */
  readonly baseURL?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default 2; on connection errors, 408, 409, 429 and 5xx, and never after a reply has begun. */
  readonly maxRetries?: number;
  /** Of a whole reply that is not streamed; default 10 minutes. 0 is none. */
  readonly timeoutMs?: number;
  /** Between two chunks of a stream, comments included; default 60 seconds. 0 is none. */
  readonly idleTimeoutMs?: number;
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRetries?: number;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL, or with a leading `//` below the server's root. */
  readonly path: string;
  readonly body?: object;
}

export class Transport {
  private readonly base: string;
  private readonly options: ClientOptions;

  constructor(options: ClientOptions) {
    this.base = (options.baseURL ?? 'http://127.0.0.1:8080/v1').replace(/\/+$/, '');
    this.options = options;
  }

  async json<Reply>(call: Call, options: CallOptions = {}): Promise<Reply> {
    const text = await this.text(call, options);
    try {
      return JSON.parse(text) as Reply;
    } catch (error) {
      throw new ParseError(`${call.method} ${call.path} gave no JSON: ${text.slice(0, 100)}`, { cause: error });
    }
  }

  async text(call: Call, options: CallOptions = {}): Promise<string> {
    const timeoutMs = options.timeoutMs ?? this.options.timeoutMs ?? 600_000;
    const deadline = new Deadline(options.signal, timeoutMs, `no reply within ${timeoutMs} ms`);
    try {
      const response = await this.send(call, options, deadline);
      return await response.text().catch((error: unknown) => {
        throw deadline.reason ?? new ConnectionError('the connection broke', { cause: error });
      });
    } finally {
      deadline.clear();
    }
  }

  /** The body of a stream. Its chunks keep the idle timeout away; an abort or a timeout errors it. */
  async stream(call: Call, options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const idleMs = options.idleTimeoutMs ?? this.options.idleTimeoutMs ?? 60_000;
    const deadline = new Deadline(options.signal, idleMs, `the stream was silent for ${idleMs} ms`);
    let response: Response;
    try {
      response = await this.send(call, options, deadline);
    } catch (error) {
      deadline.clear();
      throw error;
    }
    const reader = response.body?.getReader();
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          // The deadline counts also where a `fetch` of the caller's does not tie the body to its signal.
          const next = await Promise.race([reader?.read(), deadline.passed]);
          deadline.restart();
          if (next?.value !== undefined) return controller.enqueue(next.value);
          deadline.clear();
          controller.close();
        } catch (error) {
          deadline.clear();
          reader?.cancel().catch(() => {});
          controller.error(deadline.reason ?? new ConnectionError('the connection broke', { cause: error }));
        }
      },
      async cancel(reason) {
        deadline.clear();
        await reader?.cancel(reason);
      },
    });
  }

  private async send(call: Call, options: CallOptions, deadline: Deadline): Promise<Response> {
    const maxRetries = options.maxRetries ?? this.options.maxRetries ?? 2;
    for (let attempt = 0; ; attempt += 1) {
      const failure = await this.try(call, options, deadline);
      if (failure instanceof Response) return failure;
      if (attempt >= maxRetries || !isWorthRetrying(failure)) throw failure;
      await deadline.sleep(delayBefore(attempt, failure));
      deadline.restart();
    }
  }

  private async try(call: Call, options: CallOptions, deadline: Deadline): Promise<Response | Error> {
    const send = this.options.fetch ?? fetch;
    try {
      const response = await send(this.url(call.path), {
        method: call.method,
        headers: {
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(this.options.apiKey === undefined ? {} : { authorization: `Bearer ${this.options.apiKey}` }),
          ...this.options.headers,
          ...options.headers,
        },
        signal: deadline.signal,
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      });
      return response.ok ? response : await httpError(response);
    } catch (error) {
      if (deadline.reason !== null) throw deadline.reason;
      return new ConnectionError(`cannot reach ${this.url(call.path)}`, { cause: error });
    }
  }

  private url(path: string): string {
    return path.startsWith('//') ? `${this.base.replace(/\/v1$/, '')}${path.slice(1)}` : `${this.base}${path}`;
  }
}

async function httpError(response: Response): Promise<HttpError> {
  const text = await response.text();
  let body: Partial<ErrorBody> | undefined;
  try {
    body = (JSON.parse(text) as { error?: Partial<ErrorBody> }).error;
  } catch {
    body = undefined;
  }
  const message = body?.message ?? `HTTP ${response.status}: ${text.slice(0, 200)}`;
  return new HttpError(response.status, { ...body, message }, response.headers);
}

function isWorthRetrying(error: Error): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof HttpError)) return false;
  const advice = error.headers.get('x-should-retry');
  if (advice === 'true' || advice === 'false') return advice === 'true';
  return error.status === 408 || error.status === 409 || error.status === 429 || error.status >= 500;
}

/** What the server says, up to a minute; else half a second, doubled each time to eight, less up to a quarter. */
function delayBefore(attempt: number, error: Error): number {
  const advised =
    error instanceof HttpError ? Number(error.headers.get('retry-after') ?? Number.NaN) * 1000 : Number.NaN;
  if (advised >= 0 && advised <= 60_000) return advised;
  return Math.min(500 * 2 ** attempt, 8000) * (1 - Math.random() / 4);
}

/** The caller's signal and a timeout as one signal, with the error that says which it was. */
class Deadline {
  readonly signal: AbortSignal;
  /** Rejects when it has. */
  readonly passed: Promise<never>;
  reason: Error | null = null;
  private readonly controller = new AbortController();
  private readonly timeoutMs: number;
  private readonly message: string;
  private readonly callerSignal: AbortSignal | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly onAbort = (): void => this.end(new AbortedError('aborted', { cause: this.callerSignal?.reason }));

  constructor(callerSignal: AbortSignal | undefined, timeoutMs: number, message: string) {
    this.signal = this.controller.signal;
    this.passed = new Promise<never>((_resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(this.reason ?? new Error('aborted')), { once: true });
    });
    this.passed.catch(() => {});
    this.timeoutMs = timeoutMs;
    this.message = message;
    this.callerSignal = callerSignal;
    if (callerSignal?.aborted === true) this.onAbort();
    callerSignal?.addEventListener('abort', this.onAbort, { once: true });
    this.restart();
  }

  restart(): void {
    clearTimeout(this.timer);
    if (this.timeoutMs === 0 || this.signal.aborted) return;
    this.timer = setTimeout(() => this.end(new TimeoutError(this.message)), this.timeoutMs);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.callerSignal?.removeEventListener('abort', this.onAbort);
  }

  /** Rejects with the reason where the deadline comes first. */
  async sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    });
    if (this.reason !== null) throw this.reason;
  }

  private end(reason: Error): void {
    this.reason ??= reason;
    clearTimeout(this.timer);
    this.controller.abort(this.reason);
  }
}
