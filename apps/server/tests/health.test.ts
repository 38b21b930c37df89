import { expect, test } from 'vitest';
import { testServer } from './scripted-server.ts';

test('health has every counter, always', async () => {
  const server = testServer();
  await server.chat();
  const { status, json } = await server.get('/health');
  expect(status).toBe(200);
  expect(json).toEqual({
    status: 'ok',
    model: 'scripted',
    busy: false,
    requests_running: 0,
    requests_waiting: 0,
    requests_total: 1,
    prompt_tokens_total: expect.any(Number),
    cached_tokens_total: 0,
    completion_tokens_total: 5,
    prefill_seconds_total: 0,
    decode_seconds_total: expect.any(Number),
    rounds_total: 4,
    drafted_total: 1,
    accepted_total: 1,
    streams: { decoding: 0, prefilling: 0, max: 4 },
    context_length: 4096,
    uptime_seconds: expect.any(Number),
  });
});

test('a draining server is alive and not ready, and ends what runs', async () => {
  const server = testServer({ play: { rounds: [['a'], ['b']], roundMs: 20 }, config: { drainTimeoutMs: 5000 } });
  const url = await server.listen();
  const reply = fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
  });
  while (server.engine.numStarted === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const drained = server.app.drain();
  expect((await server.get('/health/live')).status).toBe(200);
  expect((await server.get('/health/ready')).status).toBe(503);
  expect((await server.get('/health')).json.status).toBe('draining');
  const refused = await server.chat();
  expect([refused.status, refused.json.error.code]).toEqual([503, 'shutting_down']);
  expect(refused.headers['retry-after']).toBe('1');
  expect((await reply).status).toBe(200);
  await drained;
});

test('a drain that lasts too long ends streams with an error event', async () => {
  const rounds = Array.from({ length: 500 }, (_, n) => [` ${n}`]);
  const server = testServer({ play: { rounds, roundMs: 10 }, config: { drainTimeoutMs: 50 } });
  const url = await server.listen();
  const post = (path: string, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, ...body }),
    }).then((response) => response.text());
  const chat = post('/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] });
  const response = post('/v1/responses', { input: 'hi' });
  while (server.engine.health().completionTokensTotal < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  const startedAt = performance.now();
  await server.app.drain();
  expect(performance.now() - startedAt).toBeLessThan(2000);
  expect(await chat).toMatch(/data: {"error":{[^\n]*"code":"shutting_down"}}\n\ndata: \[DONE\]\n\n$/);
  expect(await response).toMatch(/event: response.failed\ndata: [^\n]*shutting_down[^\n]*\n\n$/);
});

test('models lists the id and its aliases, and gives each', async () => {
  const server = testServer();
  const { json } = await server.get('/v1/models');
  expect(json).toMatchObject({ object: 'list', data: [{ id: 'scripted' }, { id: 'other-name' }] });
  expect((await server.get('/v1/models/other-name')).json).toEqual({
    id: 'other-name',
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'tensorfold',
    max_model_len: 4096,
  });
  expect((await server.get('/v1/models/nope')).status).toBe(404);
});

test('tokens go there and back', async () => {
  const server = testServer();
  const { json } = await server.post('/tokenize', { prompt: 'hi', return_token_strs: true });
  expect(json).toEqual({ count: 2, max_model_len: 4096, tokens: [104, 105], token_strs: ['h', 'i'] });
  expect((await server.post('/detokenize', { tokens: json.tokens })).json).toEqual({ prompt: 'hi' });
  const chat = await server.post('/tokenize', { messages: [{ role: 'user', content: 'hi' }] });
  expect(chat.json.count).toBe((await server.chat()).json.usage.prompt_tokens);
  expect((await server.post('/tokenize', {})).status).toBe(400);
  expect((await server.post('/detokenize', { tokens: [100_000] })).status).toBe(400);
});
