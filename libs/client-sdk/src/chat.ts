// client.chat: chat completions, whole or as events.

import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ChatFinishReason,
  ErrorBody,
  ReplyStatistics,
  ToolCall,
  Usage,
} from '@tensorfold/protocol/types';
import { ParseError, StreamError } from './errors.ts';
import { readEvents } from './event-stream.ts';
import { ReplyStream } from './reply-stream.ts';
import { linkSignals } from './signals.ts';
import type { CallOptions, Transport } from './transport.ts';

export type ChatStreamEvent =
  | { readonly type: 'text'; readonly delta: string; readonly snapshot: string }
  | { readonly type: 'reasoning'; readonly delta: string; readonly snapshot: string }
  | { readonly type: 'tool-call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-arguments'; readonly index: number; readonly delta: string; readonly snapshot: string }
  | {
      readonly type: 'finish';
      readonly reason: ChatFinishReason;
      /** Those the model finished; run tools only from here on. */
      readonly toolCalls: readonly ToolCall[];
    };

export type ChatStream = ReplyStream<ChatStreamEvent, ChatCompletion>;

type Request = Omit<ChatCompletionRequest, 'stream'>;

export class Chat {
  private readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  create(request: Request, options?: CallOptions): Promise<ChatCompletion> {
    return this.transport.json({ method: 'POST', path: '/chat/completions', body: request }, options);
  }

  /** Starts when it is first read. */
  stream(request: Request, options: CallOptions = {}): ChatStream {
    const fold = new ChatFold();
    const body = { ...request, stream: true };
    const open = async function* (this: Chat, signal: AbortSignal): AsyncGenerator<ChatStreamEvent> {
      const call = { method: 'POST', path: '/chat/completions', body } as const;
      for await (const chunk of readChunks<ChatCompletionChunk>(this.transport, call, options, signal)) {
        yield* fold.push(chunk);
      }
    };
    return new ReplyStream(
      (signal) => open.call(this, signal),
      () => fold.reply(),
    );
  }
}

/** The JSON of `data:` frames up to `[DONE]`. An error event is thrown. */
export async function* readChunks<Chunk>(
  transport: Transport,
  call: Parameters<Transport['stream']>[0],
  options: CallOptions,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const body = await transport.stream(call, { ...options, signal: linkSignals(options.signal, signal) });
  for await (const { data } of readEvents(body)) {
    if (data === '[DONE]') return;
    const chunk = parseFrame<Chunk>(data);
    const { error } = chunk as { readonly error?: ErrorBody | null };
    if (error !== undefined && error !== null) throw new StreamError(error);
    yield chunk;
  }
}

export function parseFrame<Frame>(data: string): Frame {
  try {
    return JSON.parse(data) as Frame;
  } catch (error) {
    throw new ParseError(`a frame of the stream is no JSON: ${data.slice(0, 100)}`, { cause: error });
  }
}

interface GrowingCall {
  id: string;
  name: string;
  argumentsText: string;
}

/** Chunks put together: what `create` would have given. */
export class ChatFold {
  private first: ChatCompletionChunk | null = null;
  private content = '';
  private reasoning = '';
  private readonly calls: GrowingCall[] = [];
  private finish: ChatFinishReason | null = null;
  private usage: Usage | null = null;
  private statistics: ReplyStatistics | null = null;

  push(chunk: ChatCompletionChunk): ChatStreamEvent[] {
    this.first ??= chunk;
    this.usage = chunk.usage ?? this.usage;
    this.statistics = chunk.tensorfold ?? this.statistics;
    const choice = chunk.choices[0];
    if (choice === undefined) return [];
    const events: ChatStreamEvent[] = [];
    const { content, tool_calls: deltas } = choice.delta;
    // Other servers say `reasoning`.
    const reasoning = choice.delta.reasoning_content ?? (choice.delta as { reasoning?: string }).reasoning;
    if (typeof reasoning === 'string' && reasoning !== '') {
      this.reasoning += reasoning;
      events.push({ type: 'reasoning', delta: reasoning, snapshot: this.reasoning });
    }
    if (typeof content === 'string' && content !== '') {
      this.content += content;
      events.push({ type: 'text', delta: content, snapshot: this.content });
    }
    for (const { index, id, function: part } of deltas ?? []) {
      const isNew = this.calls[index] === undefined;
      const call = (this.calls[index] ??= { id: id ?? '', name: part.name ?? '', argumentsText: '' });
      if (isNew) events.push({ type: 'tool-call', index, id: call.id, name: call.name });
      if (!part.arguments) continue;
      call.argumentsText += part.arguments;
      events.push({ type: 'tool-arguments', index, delta: part.arguments, snapshot: call.argumentsText });
    }
    if (choice.finish_reason !== null) {
      this.finish = choice.finish_reason;
      events.push({ type: 'finish', reason: this.finish, toolCalls: this.toolCalls() });
    }
    return events;
  }

  /** null until the finish chunk has come: a stream that breaks off is no reply. */
  reply(): ChatCompletion | null {
    if (this.first === null || this.finish === null) return null;
    const calls = this.toolCalls();
    return {
      id: this.first.id,
      object: 'chat.completion',
      created: this.first.created,
      model: this.first.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: this.content === '' && calls.length > 0 ? null : this.content,
            refusal: null,
            ...(this.reasoning === '' ? {} : { reasoning_content: this.reasoning }),
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: this.finish,
        },
      ],
      usage: this.usage ?? noUsage,
      ...(this.statistics === null ? {} : { tensorfold: this.statistics }),
    } as ChatCompletion;
  }

  /** One whose arguments were broken off, by the limit or by the model, is none: the reply has its text as content. */
  private toolCalls(): ToolCall[] {
    const whole = this.calls.filter(({ argumentsText }) => argumentsText === '' || isJson(argumentsText));
    return whole.map(({ id, name, argumentsText }) => ({
      id,
      type: 'function',
      function: { name, arguments: argumentsText },
    }));
  }
}

const noUsage: Usage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
