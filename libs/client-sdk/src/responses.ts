// client.responses: the Responses API, whole or as its own events.

import type { DeletedResponse, ModelResponse, ResponseRequest, ResponseStreamEvent } from '@tensorfold/protocol/types';
import { parseFrame } from './chat.ts';
import { StreamError } from './errors.ts';
import { readEvents } from './event-stream.ts';
import { ReplyStream } from './reply-stream.ts';
import { linkSignals } from './signals.ts';
import type { CallOptions, Transport } from './transport.ts';

/** A response and the text of its messages. */
export type ResponseWithText = ModelResponse & { readonly output_text: string };

export type ResponseStream = ReplyStream<ResponseStreamEvent, ResponseWithText>;

type Request = Omit<ResponseRequest, 'stream'>;

export class Responses {
  private readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  async create(request: Request, options?: CallOptions): Promise<ResponseWithText> {
    const call = { method: 'POST', path: '/responses', body: request } as const;
    return withText(await this.transport.json<ModelResponse>(call, options));
  }

  /** The next turn after a stored response. */
  continue(previous: { readonly id: string }, request: Request, options?: CallOptions): Promise<ResponseWithText> {
    return this.create({ ...request, previous_response_id: previous.id }, options);
  }

  /** Starts when it is first read. A failed response is thrown as a StreamError after its event. */
  stream(request: Request, options: CallOptions = {}): ResponseStream {
    let last: ModelResponse | null = null;
    const body = { ...request, stream: true };
    const open = async function* (this: Responses, signal: AbortSignal): AsyncGenerator<ResponseStreamEvent> {
      const linked = linkSignals(options.signal, signal);
      const call = { method: 'POST', path: '/responses', body } as const;
      for await (const { data } of readEvents(await this.transport.stream(call, { ...options, signal: linked }))) {
        if (data === '[DONE]') return;
        const event = parseFrame<ResponseStreamEvent | { type: 'error'; message: string }>(data);
        if (event.type === 'error') throw new StreamError({ message: event.message });
        yield event;
        if (event.type === 'response.failed') {
          throw new StreamError({ message: event.response.error?.message ?? 'the response failed' });
        }
        if (event.type === 'response.completed' || event.type === 'response.incomplete') last = event.response;
      }
    };
    return new ReplyStream(
      (signal) => open.call(this, signal),
      () => (last === null ? null : withText(last)),
    );
  }

  async get(id: string, options?: CallOptions): Promise<ResponseWithText> {
    return withText(
      await this.transport.json({ method: 'GET', path: `/responses/${encodeURIComponent(id)}` }, options),
    );
  }

  delete(id: string, options?: CallOptions): Promise<DeletedResponse> {
    return this.transport.json({ method: 'DELETE', path: `/responses/${encodeURIComponent(id)}` }, options);
  }
}

function withText(response: ModelResponse): ResponseWithText {
  const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return { ...response, output_text: parts.map((part) => part.text).join('') };
}
