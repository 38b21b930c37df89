// thinking_budget over HTTP: the think block is closed at the reply's budget-th token, and counted so, however it is generated.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEngine } from '@tensorfold/engine-native';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeTinyModel } from '../../../tools/tiny-model/tiny-model.ts';
import { type App, buildApp, serveEngine } from '../src/index.ts';
import { scriptedTemplate } from '../src/testing/index.ts';
import { events, foldChunks, testServer, user } from './scripted-server.ts';

const thinks = { chat_template_kwargs: { enable_thinking: true } };

describe('a scripted reply', () => {
  const words = ['one', ' two', ' three', ' four', ' five'];

  async function said(rounds: readonly (readonly string[])[], fields: object) {
    const server = testServer({ play: { rounds } });
    const { json } = await server.chat({ ...thinks, ...fields });
    const { message, finish_reason: finish } = json.choices[0];
    const usage = json.usage;
    const whole = { reasoning: message.reasoning_content ?? '', content: message.content, finish, usage };
    for (const draft of [true, false]) {
      const chunks = await server.chatStream({ ...thinks, ...fields, draft, stream_options: { include_usage: true } });
      const folded = foldChunks(chunks);
      expect({ ...whole, usage: null }).toEqual({
        reasoning: folded.reasoning,
        content: folded.content,
        finish: folded.finish,
        usage: null,
      });
      const streamed = folded.usage as typeof usage;
      expect(streamed.completion_tokens_details).toEqual(usage.completion_tokens_details);
      expect(streamed.completion_tokens).toBe(usage.completion_tokens);
    }
    return { ...whole, reasoningTokens: usage.completion_tokens_details.reasoning_tokens as number };
  }

  // The scripted engine's closing text is a newline, the marker and two newlines: four tokens.
  test.each([
    ['one token a round', [...words.map((word) => [word]), ['</think>'], ['\n\n'], ['Yes.']]],
    ['all in one round', [[...words, '</think>', '\n\n', 'Yes.']]],
  ])('is closed at the budget, %s', async (_name, rounds) => {
    const reply = await said(rounds, { thinking_budget: 3 });
    expect(reply).toMatchObject({ reasoning: 'one two', content: 'Yes.', finish: 'stop', reasoningTokens: 4 });
  });

  test('of one token thinks nothing', async () => {
    const reply = await said([[...words, '</think>', 'Yes.']], { thinking_budget: 1 });
    expect(reply).toMatchObject({ reasoning: '', content: 'Yes.', reasoningTokens: 2 });
  });

  test('that closes the block before the budget is left alone', async () => {
    const reply = await said([[...words, '</think>', '\n\n', 'Yes.']], { thinking_budget: 7 });
    expect(reply).toMatchObject({ reasoning: words.join(''), content: 'Yes.', reasoningTokens: 6 });
  });

  test('that never closes the block answers after the budget', async () => {
    const reply = await said([[...words]], { thinking_budget: 4 });
    expect(reply).toMatchObject({ reasoning: 'one two three', content: 'five', reasoningTokens: 5 });
  });

  test('that does not think is left alone', async () => {
    const reply = await said([['a', 'b', 'c']], { thinking_budget: 2, chat_template_kwargs: {} });
    expect(reply).toMatchObject({ reasoning: '', content: 'abc', reasoningTokens: 0 });
  });
});

describe('a tiny checkpoint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
  const path = join(folder, 'tiny.gguf');
  let app: App;
  /** Where in the closing text the marker stands. */
  let closeAt: number;

  beforeAll(async () => {
    writeTinyModel(path, { family: 'qwen3', type: 'Q8_0', contextTokens: 1024, chatTemplate: scriptedTemplate });
    const engine = await loadEngine({ model: path, lanes: 4, contextTokens: 1024 });
    const closing = engine.encode([{ text: '\n</think>\n\n', source: 'template' }]);
    const bos = engine.tokenId(engine.card.specialTokens['bos_token'] ?? '');
    closeAt = closing.filter((id) => id !== bos).indexOf(engine.tokenId('</think>')!);
    app = buildApp({ model: serveEngine(engine, 'model'), config: { log: 'silent', drainTimeoutMs: 1000 } });
  });
  afterAll(async () => {
    await app.drain();
    rmSync(folder, { recursive: true, force: true });
  });

  async function post(body: object) {
    const payload = { ...thinks, max_tokens: 60, ignore_eos: true, ...body };
    const reply = await app.http.inject({ method: 'POST', url: '/v1/chat/completions', payload });
    return { status: reply.statusCode, headers: reply.headers, body: reply.body, json: undefined as unknown };
  }

  async function whole(body: object) {
    const json = JSON.parse((await post(body)).body);
    const { message } = json.choices[0];
    return {
      reasoning: (message.reasoning_content ?? '') as string,
      content: message.content as string,
      reasoningTokens: json.usage.completion_tokens_details.reasoning_tokens as number,
      completionTokens: json.usage.completion_tokens as number,
      sha: json.tensorfold.token_sha as string,
    };
  }

  async function streamed(body: object) {
    const chunks = events(await post({ ...body, stream: true, stream_options: { include_usage: true } }));
    const folded = foldChunks(chunks);
    const usage = folded.usage as any;
    return {
      reasoning: folded.reasoning,
      content: folded.content,
      reasoningTokens: usage.completion_tokens_details.reasoning_tokens as number,
      completionTokens: usage.completion_tokens as number,
    };
  }

  const samplings = [{ temperature: 0 }, { temperature: 0.8, seed: 7 }, { temperature: 1.2, top_k: 30, seed: 11 }];
  const contents = ['Repeat: alpha beta alpha beta alpha beta.', 'Write a sentence about rain.'];

  test('is closed at the budget: drafted, serial, beside others and streamed alike', async () => {
    const bodies = samplings.flatMap((sampling) =>
      contents.flatMap((content) =>
        [1, 2, 8, 25].map((thinking_budget) => ({ messages: user(content), thinking_budget, ...sampling })),
      ),
    );
    const serial = [];
    for (const body of bodies) serial.push(await whole({ ...body, draft: false, cache_salt: 'serial' }));
    const drafted = [];
    for (const body of bodies) drafted.push(await whole(body));
    expect(drafted).toEqual(serial);
    expect(await Promise.all(bodies.map(whole))).toEqual(serial);
    const streams = await Promise.all(bodies.map(streamed));
    expect(streams).toEqual(serial.map(({ sha: _sha, ...reply }) => reply));
    let numForced = 0;
    for (const [index, { reasoningTokens, completionTokens, content }] of serial.entries()) {
      const budget = bodies[index]!.thinking_budget;
      // Fewer only where the model closed the block by itself.
      const isForced = reasoningTokens >= budget;
      if (isForced) expect(reasoningTokens).toBe(budget + closeAt);
      if (isForced) numForced += 1;
      expect(completionTokens).toBe(60);
      expect(content).not.toBe('');
    }
    expect(numForced).toBeGreaterThan(bodies.length / 2);
  }, 60_000);

  test('thinks up to the budget what it thinks without one', async () => {
    for (const sampling of samplings) {
      const body = { messages: user(contents[1]), ...sampling };
      const free = await whole({ ...body, thinking_budget: 1000 });
      const short = await whole({ ...body, thinking_budget: 12 });
      expect(free.reasoning.startsWith(short.reasoning.replace(/[\s\ufffd]+$/, ''))).toBe(true);
      expect(short.reasoning.length).toBeGreaterThan(0);
    }
  }, 60_000);

  test('a budget above the limit leaves all of it reasoning', async () => {
    const { reasoningTokens, completionTokens, content } = await whole({
      messages: user(contents[0]),
      temperature: 0,
      max_tokens: 10,
      thinking_budget: 11,
    });
    expect([reasoningTokens, completionTokens, content]).toEqual([10, 10, '']);
  });
});
