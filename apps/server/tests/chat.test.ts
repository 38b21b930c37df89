import { describe, expect, test } from 'vitest';
import { foldChunks, hello, testServer, user } from './scripted-server.ts';
import type { Script } from '../src/testing/index.ts';

const thinking: Script = { rounds: [['<think>'], ['so', ' 4'], ['</think>', 'Four'], ['.']] };

describe('one body', () => {
  test('has every key that clients read', async () => {
    const { json, status, headers } = await testServer().chat();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(json).toEqual({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'scripted',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello there.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: expect.any(Number),
        completion_tokens: 5,
        total_tokens: json.usage.prompt_tokens + 5,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      tensorfold: {
        token_sha: expect.stringMatching(/^[0-9a-f]{12}$/),
        numeric_version: 1,
        kernel: 'scripted',
        prefill_seconds: 0,
        decode_seconds: expect.any(Number),
        tokens_per_second: expect.any(Number),
        time_to_first_token: expect.any(Number),
        draft: { drafted: 1, accepted: 1, rounds: 4 },
      },
    });
  });

  test('has reasoning in reasoning_content and counts its tokens', async () => {
    const { json } = await testServer({ play: thinking }).chat();
    expect(json.choices[0].message).toEqual({
      role: 'assistant',
      content: 'Four.',
      refusal: null,
      reasoning_content: 'so 4',
    });
    expect(json.usage.completion_tokens_details.reasoning_tokens).toBe(4);
  });

  test('tells of cached tokens from the second time on', async () => {
    const server = testServer();
    await server.chat();
    const { json } = await server.chat();
    expect(json.usage.prompt_tokens_details.cached_tokens).toBe(json.usage.prompt_tokens - 1);
  });
});

describe('a stream', () => {
  test('begins with the role, ends with one finish chunk that carries usage', async () => {
    const chunks = await testServer().chatStream();
    const deltas = chunks.map((chunk) => chunk.choices[0].delta);
    expect(deltas).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Hello' },
      { content: ' there' },
      { content: '.' },
      {},
    ]);
    expect(chunks.map((chunk) => chunk.choices[0].finish_reason)).toEqual([null, null, null, null, 'stop']);
    expect(chunks.map((chunk) => 'usage' in chunk)).toEqual([false, false, false, false, true]);
    expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 5 }, tensorfold: { draft: { rounds: 4 } } });
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        id: chunks[0].id,
        object: 'chat.completion.chunk',
        created: chunks[0].created,
        model: 'scripted',
        choices: [{ index: 0, logprobs: null }],
      });
    }
  });

  test('puts usage in a chunk of its own where the client asks for it, and only there', async () => {
    const chunks = await testServer().chatStream({ stream_options: { include_usage: true } });
    const last = chunks.pop();
    expect(last).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
    for (const chunk of chunks) expect(chunk.usage).toBeNull();
    expect(chunks.at(-1).choices[0]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' });
  });

  test('is framed as data lines with the right headers', async () => {
    const { body, headers } = await testServer().post('/v1/chat/completions', { messages: user('hi'), stream: true });
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-request-id': expect.any(String),
    });
    expect(body).toMatch(/^(?:data: [^\n]+\n\n)+$/);
    expect(body.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test.each([
    ['plain text', hello],
    ['thinking', thinking],
    [
      'a character cut between tokens',
      { rounds: [[Buffer.from([0x20, 0xf0, 0x9f])], [Buffer.from([0x98, 0xb8])], ['!']] },
    ],
  ])('says what the body says: %s', async (_name, play) => {
    const server = testServer({ play });
    const whole = (await server.chat()).json;
    const folded = foldChunks(await server.chatStream());
    expect(folded.content).toBe(whole.choices[0].message.content);
    expect(folded.reasoning).toBe(whole.choices[0].message.reasoning_content ?? '');
    expect(folded.finish).toBe(whole.choices[0].finish_reason);
    expect(folded.usage).toMatchObject({ completion_tokens: whole.usage.completion_tokens });
  });

  test('never cuts a character (G09)', async () => {
    const play: Script = {
      rounds: [[Buffer.from([0x20, 0xf0, 0x9f])], [Buffer.from([0x98, 0xb8])], ['!'], [Buffer.from([0xe4, 0xbd])]],
    };
    const server = testServer({ play });
    const chunks = await server.chatStream({ max_tokens: 4 });
    const texts = chunks.map((chunk) => chunk.choices[0].delta.content).filter(Boolean);
    expect(texts.join('')).toBe(' \u{1F638}!\uFFFD');
    expect(texts.filter((text) => text.includes('\u{1F638}'))).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 4 }, choices: [{ finish_reason: 'length' }] });
    expect((await server.chat({ max_tokens: 4 })).json.choices[0].message.content).toBe(' \u{1F638}!\uFFFD');
    expect((await server.chat({ stop: '!' })).json.choices[0].message.content).toBe(' \u{1F638}');
  });
});

describe('stop strings (G11)', () => {
  test.each([
    ['\n', ['What is it', '?\n', 'next'], 'What is it?', 2],
    ['O P Q', [' N', ' O', ' P', ' R', ' O', ' P', ' Q', ' S'], ' N O P R ', 7],
    [['ab', 'abc'], ['xa', 'bcd'], 'x', 2],
    ['END', ['tail EN'], 'tail EN', 2],
  ])('%j', async (stop, tokens, text, numTokens) => {
    for (const rounds of [tokens.map((token) => [token]), [tokens]]) {
      const server = testServer({ play: { rounds } });
      const { json } = await server.chat({ stop });
      expect(json.choices[0]).toMatchObject({ message: { content: text }, finish_reason: 'stop' });
      expect(json.usage.completion_tokens).toBe(numTokens);
      expect(foldChunks(await server.chatStream({ stop }))).toMatchObject({ content: text, finish: 'stop' });
    }
  });
});

describe('limits', () => {
  test('ignore_eos writes on to the limit', async () => {
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      const { json } = await testServer().chat({ [field]: 9, ignore_eos: true });
      expect(json.choices[0].finish_reason).toBe('length');
      expect(json.usage.completion_tokens).toBe(9);
    }
  });

  test('a limit that is not given is capped to the window', async () => {
    const server = testServer({ engine: { card: { windowTokens: 60 } }, config: { maxTokens: 1000 } });
    const { json } = await server.chat({ ignore_eos: true });
    expect(json.usage.total_tokens).toBe(60);
    expect((await server.chat({ max_tokens: null, max_completion_tokens: null })).status).toBe(200);
  });

  test('one that does not fit is refused with the counts and what fits, streamed or not (G16)', async () => {
    const server = testServer({ engine: { card: { windowTokens: 256 } } });
    const message = (length: number) => user('x'.repeat(length - 19));
    const cases = [
      [{ messages: message(200), max_tokens: 100 }, 400, /200 tokens.*100 tokens.*window is 256.*at most 56 fits/],
      [{ messages: message(300) }, 400, /300 tokens.*window is 256/],
      [{ messages: message(300), max_tokens: 10 }, 400, /300 tokens.*10 tokens.*window is 256/],
      [{ messages: message(255) }, 200, null],
      [{ messages: message(200), max_tokens: 56 }, 200, null],
    ] as const;
    for (const [body, status, pattern] of cases) {
      for (const stream of [false, true]) {
        const reply = await server.post('/v1/chat/completions', { ...body, stream });
        expect(reply.status).toBe(status);
        if (pattern === null) continue;
        expect(reply.json.error).toMatchObject({ type: 'invalid_request_error', code: 'context_length_exceeded' });
        expect(reply.json.error.message).toMatch(pattern);
        expect(reply.json.error.message).not.toMatch(/-\d/);
      }
    }
  });
});

describe('what reaches the engine', () => {
  test('sampling fields, and the defaults where they are null', async () => {
    const server = testServer({ config: { temperature: 0.5, topP: 0.9, topK: 7, minP: 0.1 } });
    await server.chat({ temperature: 0, top_p: 0.3, top_k: -1, min_p: 1, seed: -1, draft: false, stop: ['a', 'b'] });
    await server.chat({ temperature: null, top_p: null, top_k: null, min_p: null, seed: null, stop: null });
    expect(server.engine.requests[0]).toMatchObject({
      sampling: { temperature: 0, topP: 0.3, topK: -1, minP: 1, seed: 2n ** 64n - 1n },
      draft: false,
      stop: ['a', 'b'],
    });
    expect(server.engine.requests[1]).toMatchObject({
      sampling: { temperature: 0.5, topP: 0.9, topK: 7, minP: 0.1, seed: null },
      draft: true,
      stop: [],
      priority: 'foreground',
    });
  });

  test('drafted and serial replies have the same tokens', async () => {
    const server = testServer();
    const drafted = (await server.chat()).json;
    const serial = (await server.chat({ draft: false })).json;
    expect(serial.tensorfold.token_sha).toBe(drafted.tensorfold.token_sha);
    expect(serial.tensorfold.draft.drafted).toBe(0);
  });

  test('a session-title request is background work, and so is one that says so', async () => {
    const server = testServer();
    const title = { role: 'system', content: 'You are a title generator. You output ONLY a thread title.' };
    await server.chat({ messages: [title, ...user('hi')] });
    await server.chat({ priority: 'background' });
    await server.chat({ messages: [{ role: 'system', content: 'You are a helpful assistant.' }, ...user('hi')] });
    expect(server.engine.requests.map((request) => request.priority)).toEqual([
      'background',
      'background',
      'foreground',
    ]);
  });

  test('continue_final_message leaves the last message open, and the reply is what comes after it', async () => {
    const server = testServer();
    const messages = [...user('Write a haiku'), { role: 'assistant', content: 'Snow on' }];
    const { json } = await server.chat({ messages, continue_final_message: true });
    const { prompt } = server.engine.requests[0]!;
    expect(server.engine.decode(prompt).endsWith('<|im_start|>assistant\nSnow on')).toBe(true);
    expect(json.choices[0].message.content).toBe('Hello there.');
    const counted = await server.post('/tokenize', { messages, continue_final_message: true });
    expect(counted.json.tokens).toEqual(prompt);
    expect((await server.chat({ continue_final_message: true })).json.error.param).toBe('continue_final_message');
  });

  test('text parts are one text', async () => {
    const server = testServer();
    const parts = [
      { type: 'text', text: 'h' },
      { type: 'text', text: 'i' },
    ];
    const joined = (await server.chat({ messages: user(parts) })).json;
    expect(joined.usage.prompt_tokens).toBe((await server.chat()).json.usage.prompt_tokens);
  });
});

describe('a failure while generating', () => {
  const play: Script = { rounds: [['a'], ['b'], ['c']], failure: { round: 2, error: new Error('secret detail') } };

  test('is a 500 without details, not worth a retry', async () => {
    const { status, json, headers } = await testServer({ play }).chat();
    expect(status).toBe(500);
    expect(headers['x-should-retry']).toBe('false');
    expect(json).toEqual({
      error: { message: expect.not.stringContaining('secret'), type: 'server_error', param: null, code: null },
    });
  });

  test('is an error event and [DONE] in a stream', async () => {
    const chunks = await testServer({ play }).chatStream();
    expect(foldChunks(chunks.slice(0, -1))).toMatchObject({ content: 'ab', finish: null });
    expect(chunks.at(-1)).toMatchObject({ error: { type: 'server_error', param: null, code: null } });
  });

  test('leaves other requests alone', async () => {
    let number = 0;
    const server = testServer({ play: () => (number++ === 0 ? play : hello) });
    const [first, second] = await Promise.all([server.chat(), server.chat()]);
    expect([first.status, second.status]).toEqual([500, 200]);
  });
});
