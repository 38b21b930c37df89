import { expect, test } from 'vitest';
import { events, testServer, user } from './scripted-server.ts';

const URL = '/v1/completions';

test('a string prompt is read without a template', async () => {
  const server = testServer();
  const { status, json } = await server.post(URL, { prompt: 'Once' });
  expect(status).toBe(200);
  expect(server.engine.decode(server.engine.requests[0]?.prompt ?? [])).toBe('Once');
  expect(json).toMatchObject({
    id: expect.stringMatching(/^cmpl-/),
    object: 'text_completion',
    model: 'scripted',
    choices: [{ index: 0, text: 'Hello there.', logprobs: null, finish_reason: 'stop' }],
    usage: { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 },
    tensorfold: { token_sha: expect.any(String) },
  });
});

test('a list of token ids is taken as it is', async () => {
  const server = testServer();
  expect((await server.post(URL, { prompt: [1, 2, 3] })).status).toBe(200);
  expect(server.engine.requests[0]?.prompt).toEqual([1, 2, 3]);
});

test.each([
  [{}],
  [{ prompt: { a: 1 } }],
  [{ prompt: [] }],
  [{ prompt: '' }],
  [{ prompt: [1, -1] }],
  [{ prompt: [1, 1.5] }],
  [{ prompt: [100_000] }],
  [{ prompt: ['a'] }],
  [{ prompt: 'a', echo: true }],
  [{ prompt: 'a', logprobs: 3 }],
  [{ prompt: 'a', best_of: 2 }],
  [{ prompt: 'a', suffix: 'b' }],
])('%j is a 400, streamed or not', async (body) => {
  const server = testServer();
  for (const stream of [false, true]) {
    const { status, json } = await server.post(URL, { ...body, stream });
    expect(status).toBe(400);
    expect(json.error.type).toBe('invalid_request_error');
  }
});

test('a stream says what the body says', async () => {
  const chunks = events(await testServer().post(URL, { prompt: 'Once', stream: true }));
  expect(chunks.map((chunk) => chunk.choices[0].text).join('')).toBe('Hello there.');
  expect(chunks.every((chunk) => chunk.object === 'text_completion' && chunk.id === chunks[0].id)).toBe(true);
  expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], usage: { completion_tokens: 5 } });
});

test('usage comes in a chunk of its own where asked for', async () => {
  const body = { prompt: 'Once', stream: true, stream_options: { include_usage: true } };
  const chunks = events(await testServer().post(URL, body));
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
  expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
});

test('a body with messages is a chat request; an empty list of them is not', async () => {
  const server = testServer();
  const { json } = await server.post(URL, { messages: user('hi') });
  expect(json.object).toBe('chat.completion');
  expect((await server.post(URL, { prompt: 'Once', messages: [] })).json.object).toBe('text_completion');
});
