import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { testServer, user } from './scripted-server.ts';

const CHAT = '/v1/chat/completions';
const good = { messages: user('hi') };

function expectError(reply: { status: number; headers: Record<string, unknown>; json: unknown }, status: number) {
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toMatch(/^application\/json/);
  expect(reply.json).toEqual({
    error: {
      message: expect.stringMatching(/./),
      type: expect.stringMatching(/./),
      param: reply.json === null ? null : (reply.json as { error: { param: unknown } }).error.param,
      code: (reply.json as { error: { code: unknown } }).error.code,
    },
  });
}

describe('bodies that are no request are a 400, and the next good one is served (G29)', () => {
  test.each([
    ['{}'],
    ['[]'],
    ['null'],
    ['3'],
    ['"x"'],
    [''],
    ['not json'],
    ['{"model": "m", "messages": ['],
    ['{"messages":[{"role":"user","content":"x"}],"temperature":NaN}'],
    ['{"messages":[{"role":"user","content":"x"}],"temperature":1e999}'],
    ['{"messages":[{"role":"user","content":"x"}],"__proto__":{"a":1}}'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s', async (body) => {
    const server = testServer();
    expectError(await server.post(CHAT, body), 400);
    expect((await server.post(CHAT, good)).status).toBe(200);
  });
});

test('every field error is a 400 before a stream opens', async () => {
  const server = testServer();
  const wrong = [
    { temperature: 'hot' },
    { stop: 5 },
    { n: 2 },
    { ignore_eos: 'yes' },
    { messages: [] },
    { tool_choice: 'required' },
    { response_format: { type: 'json_object' } },
    { guided_regex: 'a+' },
    { chat_template_kwargs: 'x' },
  ];
  for (const fields of wrong) {
    for (const stream of [false, true]) expectError(await server.post(CHAT, { ...good, ...fields, stream }), 400);
  }
  expect(server.engine.requests).toHaveLength(0);
});

test('structured output is refused in words, until it is built', async () => {
  const { json } = await testServer().chat({ guided_choice: ['a', 'b'] });
  expect(json.error).toMatchObject({
    param: 'guided_choice',
    code: 'structured_output_unsupported',
    message: expect.stringContaining('structured output, which is not built yet'),
  });
});

test('an unknown path is a 404, a known one with another method a 405 that names the right one', async () => {
  const server = testServer();
  expectError(await server.get('/v1/nothing'), 404);
  const wrongMethod = await server.get(CHAT);
  expectError(wrongMethod, 405);
  expect(wrongMethod.headers['allow']).toBe('POST');
  expectError(await server.put('/v1/models', {}), 405);
});

test('another medium is a 415, a body too large a 413', async () => {
  const server = testServer({ config: { bodyLimitBytes: 1000 } });
  expectError(await server.post(CHAT, 'hi', { 'content-type': 'text/plain' }), 415);
  expectError(await server.post(CHAT, { messages: user('x'.repeat(2000)) }), 413);
});

test('a model that is not served is a 404 that names those that are', async () => {
  const reply = await testServer().chat({ model: 'gpt-9' });
  expectError(reply, 404);
  expect(reply.json.error).toMatchObject({ code: 'model_not_found', param: 'model' });
  expect(reply.json.error.message).toContain('scripted');
});

test('bytes that are not HTTP get the error object too', async () => {
  const url = new URL(await testServer().listen());
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(url.port), url.hostname, () => socket.write('nonsense\r\n\r\n'));
    let got = '';
    socket.on('data', (data) => (got += data.toString()));
    socket.on('close', () => resolve(got));
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { type: 'invalid_request_error' } });
});

test('x-request-id is echoed, or made', async () => {
  const server = testServer();
  expect((await server.get('/health', { 'x-request-id': 'mine-1' })).headers['x-request-id']).toBe('mine-1');
  expect((await server.get('/nothing')).headers['x-request-id']).toMatch(/^req_[0-9a-f]{24}$/);
  expect((await server.get('/health', { 'x-request-id': 'a b' })).headers['x-request-id']).toMatch(/^req_/);
});

describe('API keys', () => {
  const config = { apiKeys: ['key-1', 'key-2'] };

  test('any of them opens /v1', async () => {
    const server = testServer({ config });
    for (const key of config.apiKeys) {
      expect((await server.post(CHAT, good, { authorization: `Bearer ${key}` })).status).toBe(200);
    }
  });

  test('without one, or with another, it is a 401', async () => {
    const server = testServer({ config });
    for (const headers of [{}, { authorization: 'Bearer nope' }, { authorization: 'Basic key-1' }]) {
      const reply = await server.post(CHAT, good, headers);
      expectError(reply, 401);
      expect(reply.json.error).toMatchObject({ type: 'authentication_error', code: 'invalid_api_key' });
      expect(reply.headers['www-authenticate']).toBe('Bearer');
    }
    for (const reply of [
      await server.get('/v1/models'),
      await server.post('/v1/responses', { input: 'hi', stream: true }),
      await server.post('/tokenize', { prompt: 'hi' }),
      await server.get('/v1/responses/resp_1'),
    ]) {
      expectError(reply, 401);
    }
    expect(server.engine.requests).toHaveLength(0);
  });

  test('probes and metrics stay open', async () => {
    const server = testServer({ config });
    for (const path of ['/health', '/health/live', '/health/ready', '/metrics']) {
      expect((await server.get(path)).status).toBe(200);
    }
  });
});
