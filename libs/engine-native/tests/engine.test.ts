import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineError, type GenerationRequest, RequestError } from '@tensorfold/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GgufInput } from '../../../tools/tiny-model/gguf-writer.ts';
import { tinyTokenizer } from '../../../tools/tiny-model/tiny-tokenizer.ts';
import { writeTinyModel } from '../../../tools/tiny-model/tiny-model.ts';
import { type EngineRequest } from '../src/engine-request.ts';
import { type Engine, loadEngine } from '../src/engine.ts';
import { type Ask, builtInQuestions, verifyAsk, verifyEngine, type VerifyQuestion } from '../src/verify.ts';

const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
const model = join(folder, 'tiny.gguf');
let engine: Engine;

beforeAll(async () => {
  writeTinyModel(model, { family: 'qwen3', type: 'Q8_0' });
  engine = await loadEngine({ model, lanes: 4, contextTokens: 1024 });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const base: GenerationRequest = {
  prompt: [72, 101, 108, 108, 111],
  maxTokens: 20,
  sampling: { temperature: 0.7, topP: 0.9, topK: 0, minP: 0, seed: null },
  stop: [],
  ignoreEos: true,
  draft: true,
  priority: 'foreground',
  cacheSalt: '',
  thinking: null,
  forcedToolCall: null,
};

async function finishOf(from: Engine, request: EngineRequest) {
  for await (const event of from.submit(request)) if (event.type === 'finish') return event;
  throw new Error('no finish');
}

async function shaOf(request: GenerationRequest): Promise<string> {
  return (await finishOf(engine, request)).stats.tokenSha;
}

/** The tiny vocabulary with two tokens changed over. */
function otherTokens(): GgufInput {
  const tokens = tinyTokenizer(320, { addBos: false, chatTemplate: '' })['tokenizer.ggml.tokens'];
  if (tokens?.type !== 'strings') throw new Error('no tokens');
  const texts = [...tokens.value];
  [texts[100], texts[101]] = [texts[101]!, texts[100]!];
  return { ...tokens, value: texts };
}

test('a prompt and a limit are a request: the likeliest tokens, end tokens heeded', async () => {
  const { prompt, maxTokens } = base;
  const short = await finishOf(engine, { prompt, maxTokens });
  const sampling = { temperature: 0, topP: 1, topK: 0, minP: 0, seed: null };
  const long = await finishOf(engine, { ...base, ignoreEos: false, sampling });
  expect(short.stats.tokenSha).toBe(long.stats.tokenSha);
});

test('a request is answered the same alone and beside others', async () => {
  const alone = await shaOf(base);
  const many = await Promise.all(Array.from({ length: 12 }, (_, i) => shaOf({ ...base, draft: i % 2 === 0 })));
  expect(new Set([alone, ...many]).size).toBe(1);
});

test.each([0, 0.9])('a draft model guesses with the same noise, at temperature %d', async (temperature) => {
  const settings = { lanes: 4, contextTokens: 1024 };
  const other = join(folder, 'other.gguf');
  writeTinyModel(other, { family: 'llama', type: 'Q4_0', seed: 5 });
  const request = { ...base, maxTokens: 60, sampling: { ...base.sampling, temperature } };
  const serial = await finishOf(engine, { ...request, draft: false });
  const accepted: number[] = [];
  for (const drafter of [model, other]) {
    const drafting = await loadEngine({ model, drafter, ...settings });
    try {
      const { stats } = await finishOf(drafting, request);
      expect(stats.tokenSha).toBe(serial.stats.tokenSha);
      accepted.push(stats.acceptedTokens / stats.draftedTokens);
    } finally {
      await drafting.close();
    }
  }
  expect(accepted[0]).toBeGreaterThan(0.9);
  expect(accepted[1]).toBeLessThan(accepted[0]!);
});

test('a draft model with another tokenizer is refused', async () => {
  const drafter = join(folder, 'other-tokens.gguf');
  writeTinyModel(drafter, { family: 'llama', type: 'Q4_0', metadata: { 'tokenizer.ggml.tokens': otherTokens() } });
  await expect(loadEngine({ model, drafter })).rejects.toThrow(/another tokenizer: token 100 /);
});

test.each(['f32', 'f16', 'q8'] as const)(
  'keys and values as %s have a name, and replies of their own',
  async (kvDtype) => {
    const settings = { model, lanes: 4, contextTokens: 1024, kvDtype };
    const other = await loadEngine(settings);
    try {
      // The checkpoint's own type is the same numbers, under the same name.
      const isOwn = kvDtype === 'f16';
      expect(other.card.numericVersion).toBe(isOwn ? 1 : `1+kv-${kvDtype}`);
      const request = { ...base, maxTokens: 120 };
      const serial = await finishOf(other, { ...request, draft: false });
      const drafted = await Promise.all([1, 2, 3].map(() => finishOf(other, request)));
      expect(new Set([serial, ...drafted].map(({ stats }) => stats.tokenSha)).size).toBe(1);
      expect(other.card.memoryBytes < engine.card.memoryBytes).toBe(kvDtype === 'q8');
      if (isOwn) expect(serial.stats.tokenSha).toBe(await shaOf(request));
    } finally {
      await other.close();
    }
  },
);

test('leaving the loop, or aborting, ends the request and frees its lane', async () => {
  for await (const event of engine.submit({ ...base, maxTokens: 900 })) if (event.type === 'tokens') break;
  const controller = new AbortController();
  const reply = (async () => {
    for await (const event of engine.submit({ ...base, maxTokens: 900 }, controller.signal)) {
      if (event.type === 'tokens') controller.abort(new Error('enough'));
    }
  })();
  await expect(reply).rejects.toThrow('enough');
  await shaOf(base);
  expect(engine.health().requestsRunning).toBe(0);
});

test('what cannot run is refused before any token', async () => {
  const tooLong = shaOf({ ...base, maxTokens: 2000 });
  await expect(tooLong).rejects.toThrow(RequestError);
  await expect(tooLong).rejects.toMatchObject({ code: 'context_length_exceeded' });
  await expect(shaOf({ ...base, prompt: [999999] })).rejects.toThrow('token id 999999');
  await expect(shaOf({ ...base, prompt: [] })).rejects.toThrow('empty');
});

test('a reader that stalls keeps its lane without filling memory, and gets the whole reply', async () => {
  let tokens = 0;
  for await (const event of engine.submit({ ...base, maxTokens: 700 })) {
    if (event.type === 'tokens') tokens += event.pieces.filter((piece) => piece.id !== null).length;
    if (tokens === 1) await new Promise((resolve) => setTimeout(resolve, 300));
  }
  expect(tokens).toBe(700);
});

test('a dead worker fails its requests, is reported, and comes back with the model', async () => {
  const before = await shaOf(base);
  const lost = shaOf({ ...base, maxTokens: 900, prompt: base.prompt.slice(1) });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const crash = engine.crashWorker();
  await expect(lost).rejects.toThrow(EngineError);
  await crash;
  for (let tries = 0; tries < 200 && engine.health().state !== 'ready'; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(await shaOf(base)).toBe(before);
});

test('a receipt hashes the serial replies: one that differs shows, a draft that differs is for the checks', async () => {
  const questions = builtInQuestions.slice(0, 2);
  const receipt = async (hashOf: (question: VerifyQuestion, draft: boolean) => string) => {
    const ask: Ask = (question, { draft }) => Promise.resolve({ hash: hashOf(question, draft), text: '', ids: [] });
    return verifyAsk(questions, ask);
  };
  const sound = await receipt(({ prompt }) => prompt);
  expect((await receipt(({ prompt }) => prompt)).repliesSha256).toBe(sound.repliesSha256);
  expect((await receipt(({ prompt }, draft) => (draft ? 'wrong' : prompt))).repliesSha256).toBe(sound.repliesSha256);
  const other = await receipt(({ prompt, temperature }) => (temperature > 0 ? 'other' : prompt));
  expect(other.repliesSha256).not.toBe(sound.repliesSha256);
  expect(sound.checks.every((check) => check.differing === 0)).toBe(true);
});

test('tf verify finds nothing on a sound engine, and each fault on a broken one', async () => {
  const { checks: sound } = await verifyEngine({ model, lanes: 8 }, loadEngine);
  expect(sound.filter((check) => check.differing > 0)).toEqual([]);
  for (const fault of ['reorder-sum', 'wrong-page', 'kept-draft'] as const) {
    const { checks: broken } = await verifyEngine({ model, lanes: 8, fault }, loadEngine);
    expect({ fault, caught: broken.some((check) => check.differing > 0) }).toEqual({ fault, caught: true });
  }
}, 120_000);
