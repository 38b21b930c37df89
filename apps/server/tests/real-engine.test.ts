// The server over the real engine: a tiny checkpoint always, the real one where it lies beside the project.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '@tensorfold/engine-native';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeTinyModel } from '../../../tools/tiny-model/tiny-model.ts';
import { type App, buildApp, serveEngine } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
const tiny = join(folder, 'tiny.gguf');
const real = fileURLToPath(new URL('../../../../shared/weights/smollm2-135m-instruct-q4_1.gguf', import.meta.url));
writeTinyModel(tiny, { family: 'qwen3', type: 'Q8_0', contextTokens: 4096 });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly sha: string;
  readonly text: string;
  readonly reason: string;
  readonly completion: number;
  readonly cached: number;
}

const models = [
  { name: 'tiny', path: tiny, prompts: 4, maxTokens: 40 },
  { name: 'real', path: real, prompts: 4, maxTokens: 24 },
].filter(({ path }) => existsSync(path) || path === tiny);

describe.each(models)('the $name checkpoint', ({ path, maxTokens }) => {
  let app: App;
  let url: string;

  beforeAll(async () => {
    const engine = await loadEngine({ model: path, lanes: 8, contextTokens: 2048 });
    app = buildApp({ model: serveEngine(engine, 'model'), config: { log: 'silent', drainTimeoutMs: 1000 } });
    await app.http.listen({ port: 0, host: '127.0.0.1' });
    url = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => app.drain());

  async function post(route: string, body: object): Promise<Outcome> {
    const reply = await fetch(`${url}/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'model', max_tokens: maxTokens, ...body }),
    });
    const json = (await reply.json()) as any;
    if (!reply.ok) throw new Error(JSON.stringify(json));
    const choice = json.choices[0];
    return {
      sha: json.tensorfold.token_sha,
      text: choice.text ?? `${choice.message.reasoning_content ?? ''}${choice.message.content ?? ''}`,
      reason: choice.finish_reason,
      completion: json.usage.completion_tokens,
      cached: json.usage.prompt_tokens_details.cached_tokens,
    };
  }

  const contents = [
    'Repeat this: alpha beta gamma, alpha beta gamma, alpha beta gamma.',
    'Write a sentence about rain.',
    'List five five-letter words.',
    'if (a) { b(); } if (a) { b(); } if (a) {',
  ];
  const settings = [
    { temperature: 0 },
    { temperature: 0.8, top_p: 0.9, top_k: 40, seed: 7 },
    { temperature: 0.8, top_p: 0.95, seed: 12345 },
    { temperature: 1.3, min_p: 0.05, seed: 1 },
  ];
  const bodies = contents.flatMap((content) =>
    settings.map((sampling) => ({ messages: [{ role: 'user', content }], ...sampling })),
  );

  test('drafted, serial, concurrent, resumed: one token_sha, one text', async () => {
    const serial: Outcome[] = [];
    for (const [index, body] of bodies.entries()) {
      serial.push(await post('chat/completions', { ...body, draft: false, cache_salt: `cold-${index}` }));
    }
    const drafted: Outcome[] = [];
    for (const body of bodies) drafted.push(await post('chat/completions', body));
    const resumed: Outcome[] = [];
    for (const body of bodies) resumed.push(await post('chat/completions', body));
    const concurrent = await Promise.all(
      bodies.map((body, index) =>
        post('chat/completions', {
          ...body,
          priority: index % 3 === 0 ? 'background' : undefined,
          cache_salt: `c${index}`,
        }),
      ),
    );
    const essence = ({ sha, text, reason, completion }: Outcome) => ({ sha, text, reason, completion });
    expect(drafted.map(essence)).toEqual(serial.map(essence));
    expect(resumed.map(essence)).toEqual(serial.map(essence));
    expect(concurrent.map(essence)).toEqual(serial.map(essence));
    expect(resumed.every(({ cached }) => cached > 0)).toBe(true);
  }, 240_000);

  test('a forced call names an offered tool, with the same tokens drafted, serial and beside others', async () => {
    const tool = (name: string) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    });
    const tools = [tool('get_weather'), tool('get_time')];
    const named = { type: 'function', function: { name: 'get_time' } };
    for (const [tool_choice, names] of [
      ['required', ['get_weather', 'get_time']],
      [named, ['get_time']],
    ] as const) {
      const forced = contents.map((content) => ({
        messages: [{ role: 'user', content }],
        tools,
        tool_choice,
        seed: 3,
      }));
      const serial = [];
      for (const [index, body] of forced.entries()) {
        serial.push(await reply({ ...body, draft: false, cache_salt: `forced-${names.length}-${index}` }));
      }
      const together = await Promise.all(forced.map((body) => reply(body)));
      expect(together.map(({ sha }) => sha)).toEqual(serial.map(({ sha }) => sha));
      for (const { called, content } of serial) {
        const written = called ?? /"name": "([^"]*)"/.exec(content)?.[1];
        expect(names).toContain(written);
      }
    }
  }, 120_000);

  async function reply(body: object): Promise<{ sha: string; called: string | undefined; content: string }> {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ max_tokens: maxTokens, ...body }),
    });
    const json = (await response.json()) as any;
    const { content, tool_calls: calls } = json.choices[0].message;
    return { sha: json.tensorfold.token_sha, called: calls?.[0].function.name, content: content ?? '' };
  }

  test('a reply limit ends a drafted reply where it ends a serial one', async () => {
    for (const limit of [1, 2, 7, 63, 64, 65]) {
      const body = { messages: [{ role: 'user', content: contents[0] }], max_tokens: limit, ignore_eos: true };
      const [drafted, serial] = [
        await post('chat/completions', body),
        await post('chat/completions', { ...body, draft: false, cache_salt: `limit-${limit}` }),
      ];
      expect(drafted.sha).toBe(serial.sha);
      expect(drafted.completion).toBe(limit);
      expect(drafted.reason).toBe('length');
    }
  }, 120_000);

  test('a prompt that the cache holds already is answered again, whole pages or not', async () => {
    for (const length of [1, 2, 63, 64, 65, 128]) {
      const prompt = Array.from({ length }, (_, index) => 40 + ((index * 7) % 200));
      const replies: Outcome[] = [];
      for (let time = 0; time < 3; time += 1) {
        replies.push(
          await post('completions', { prompt, max_tokens: 8, ignore_eos: true, cache_salt: `page-${length}` }),
        );
      }
      expect(new Set(replies.map(({ sha }) => sha)).size).toBe(1);
      if (length > 1) expect(replies[1]!.cached).toBeGreaterThan(0);
      expect(replies[2]!.cached).toBeLessThan(length);
    }
  }, 120_000);

  test('openai-node creates, streams and stops', async () => {
    const openai = new OpenAI({ baseURL: url, apiKey: 'any' });
    const request = {
      model: 'model',
      messages: [{ role: 'user' as const, content: contents[1]! }],
      max_tokens: 16,
      temperature: 0,
    };
    const whole = await openai.chat.completions.create(request);
    const runner = openai.chat.completions.stream(request);
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]!.message.content).toBe(whole.choices[0]!.message.content);
    const stream = await openai.chat.completions.create({ ...request, max_tokens: 1000, stream: true });
    for await (const _ of stream) break;
    stream.controller.abort();
    for (let tries = 0; tries < 100; tries += 1) {
      const health = (await (await fetch(url.replace('/v1', '/health'))).json()) as { requests_running: number };
      if (health.requests_running === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error('the left stream still runs');
  }, 60_000);
});
