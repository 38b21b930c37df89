// The client: one object a server.

import type {
  Completion,
  CompletionChunk,
  CompletionRequest,
  DetokenizeRequest,
  DetokenizeResponse,
  Health,
  Model,
  ModelList,
  TokenizeRequest,
  TokenizeResponse,
} from '@tensorfold/protocol/types';
import { Chat, readChunks } from './chat.ts';
import { HttpError } from './errors.ts';
import { Responses } from './responses.ts';
import { runTools, type RunToolsOptions, type RunToolsResult } from './run-tools.ts';
import { Transport, type CallOptions, type ClientOptions } from './transport.ts';

type CompletionFields = Omit<CompletionRequest, 'stream'>;

export class TensorFold {
  readonly chat: Chat;
  readonly responses: Responses;
  private readonly transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.transport = new Transport(options);
    this.chat = new Chat(this.transport);
    this.responses = new Responses(this.transport);
  }

  /** Chats until the model has an answer, running the tools it calls. */
  runTools(request: Parameters<typeof runTools>[1], options?: RunToolsOptions): Promise<RunToolsResult> {
    return runTools(this.chat, request, options);
  }

  complete(request: CompletionFields, options?: CallOptions): Promise<Completion> {
    return this.transport.json({ method: 'POST', path: '/completions', body: request }, options);
  }

  /** Chunks of a raw completion as they come. */
  streamCompletion(request: CompletionFields, options: CallOptions = {}): AsyncGenerator<CompletionChunk> {
    const call = { method: 'POST', path: '/completions', body: { ...request, stream: true } } as const;
    return readChunks<CompletionChunk>(this.transport, call, options, new AbortController().signal);
  }

  async models(options?: CallOptions): Promise<readonly Model[]> {
    return (await this.transport.json<ModelList>({ method: 'GET', path: '/models' }, options)).data;
  }

  model(id: string, options?: CallOptions): Promise<Model> {
    return this.transport.json({ method: 'GET', path: `/models/${id}` }, options);
  }

  tokenize(request: TokenizeRequest, options?: CallOptions): Promise<TokenizeResponse> {
    return this.transport.json({ method: 'POST', path: '//tokenize', body: request }, options);
  }

  detokenize(request: DetokenizeRequest, options?: CallOptions): Promise<DetokenizeResponse> {
    return this.transport.json({ method: 'POST', path: '//detokenize', body: request }, options);
  }

  health(options?: CallOptions): Promise<Health> {
    return this.transport.json({ method: 'GET', path: '//health' }, options);
  }

  /** Whether requests are taken now. */
  async isReady(options: CallOptions = {}): Promise<boolean> {
    try {
      await this.transport.text({ method: 'GET', path: '//health/ready' }, { maxRetries: 0, ...options });
      return true;
    } catch (error) {
      if (error instanceof HttpError) return false;
      throw error;
    }
  }

  /** Prometheus text. */
  metrics(options?: CallOptions): Promise<string> {
    return this.transport.text({ method: 'GET', path: '//metrics' }, options);
  }
}
