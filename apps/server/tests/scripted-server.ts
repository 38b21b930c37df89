// A server over scripted replies, and the two ways tests talk to it: injected requests and real HTTP.

import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { GenerationRequest } from '@tensorfold/protocol';
import { buildApp, serveEngine, type App, type ServerConfig } from '../src/index.ts';
import { ScriptedEngine, type Script, type ScriptedEngineOptions } from '../src/testing/index.ts';
import type { LoadedModel } from '../src/models/registry.ts';

export interface TestServerOptions {
  readonly play?: Script | ((request: GenerationRequest, prompt: string) => Script);
  readonly engine?: Partial<ScriptedEngineOptions>;
  readonly config?: Partial<ServerConfig>;
  readonly model?: Partial<LoadedModel>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
  readonly json: any;
}

export const hello: Script = { rounds: [['Hel', 'lo'], [' there'], ['.']] };

export function testServer(options: TestServerOptions = {}) {
  const play = options.play ?? hello;
  const engine = new ScriptedEngine({ play: typeof play === 'function' ? play : () => play, ...options.engine });
  const model: LoadedModel = {
    ...serveEngine(engine, 'scripted', ['scripted', 'other-name']),
    created: 1_700_000_000,
    ...options.model,
  };
  const app: App = buildApp({ model, config: { log: 'silent', drainTimeoutMs: 100, ...options.config } });
  onTestFinished(() => app.drain());

  async function send(
    method: 'GET' | 'POST' | 'DELETE' | 'PUT',
    url: string,
    body?: unknown,
    headers = {},
  ): Promise<Reply> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    const reply = await app.http.inject({
      method,
      url,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { payload: isRaw ? body : JSON.stringify(body) }),
    });
    let json: unknown;
    try {
      json = JSON.parse(reply.body);
    } catch {
      json = undefined;
    }
    return { status: reply.statusCode, headers: reply.headers, body: reply.body, json };
  }

  return {
    app,
    engine,
    get: (url: string, headers = {}) => send('GET', url, undefined, headers),
    delete: (url: string, headers = {}) => send('DELETE', url, undefined, headers),
    put: (url: string, body: unknown) => send('PUT', url, body),
    post: (url: string, body: unknown, headers = {}) => send('POST', url, body, headers),
    chat: (fields: object = {}) => send('POST', '/v1/chat/completions', { messages: user('hi'), ...fields }),
    async chatStream(fields: object = {}) {
      return events(await send('POST', '/v1/chat/completions', { messages: user('hi'), stream: true, ...fields }));
    },
    async listen(): Promise<string> {
      await app.http.listen({ host: '127.0.0.1', port: 0 });
      return `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
    },
  };
}

export const user = (content: unknown) => [{ role: 'user', content }];

/** The JSON of a stream's frames; the last must be `[DONE]`. */
export function events(reply: Reply): any[] {
  if (reply.status !== 200) throw new Error(`HTTP ${reply.status}: ${reply.body}`);
  const frames = reply.body.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  if (frames.pop() !== 'data: [DONE]') throw new Error(`the stream does not end with [DONE]: ${reply.body}`);
  return frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')));
}

/** What a chat stream said, put together as a client does. */
export function foldChunks(chunks: readonly ReturnType<typeof events>[number][]) {
  const out = {
    content: '',
    reasoning: '',
    finish: null as string | null,
    calls: [] as unknown[],
    usage: null as unknown,
  };
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for (const chunk of chunks) {
    if (chunk.usage) out.usage = chunk.usage;
    const choice = chunk.choices[0];
    if (choice === undefined) continue;
    out.content += choice.delta.content ?? '';
    out.reasoning += choice.delta.reasoning_content ?? '';
    for (const { index, ...call } of choice.delta.tool_calls ?? []) {
      calls[index] ??= { id: '', type: '', function: { name: '', arguments: '' } };
      const at = calls[index];
      at.id += call.id ?? '';
      at.type += call.type ?? '';
      at.function.name += call.function.name ?? '';
      at.function.arguments += call.function.arguments ?? '';
    }
    out.finish = choice.finish_reason ?? out.finish;
  }
  out.calls = calls;
  return out;
}
