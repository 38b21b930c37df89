import { describe, expect, test } from 'vitest';
import {
  AbortedError,
  ConnectionError,
  HttpError,
  ParseError,
  TensorFold,
  TensorFoldError,
  TimeoutError,
} from '../src/index.ts';
import { bodyOf, delta, fakeFetch, json, sse } from './fake-server.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const failure = (status: number, headers: Record<string, string> = {}) =>
  json(
    { error: { message: 'no', type: 'server_error', param: 'p', code: 'c' } },
    { status, headers: { 'retry-after': '0', ...headers } },
  );

describe('retries', () => {
  test.each([408, 409, 429, 500, 503])('%d is tried twice more', async (status) => {
    const { fetch, sent } = fakeFetch((_sent, index) => (index < 2 ? failure(status) : json({ ok: true })));
    expect(await new TensorFold({ fetch }).chat.create({ messages })).toEqual({ ok: true });
    expect(sent).toHaveLength(3);
  });

  test('no more than asked, and the last error is thrown', async () => {
    const { fetch, sent } = fakeFetch(() => failure(503, { 'x-request-id': 'req_1' }));
    const refused = new TensorFold({ fetch, maxRetries: 1 }).chat.create({ messages });
    await expect(refused).rejects.toMatchObject({
      status: 503,
      type: 'server_error',
      param: 'p',
      code: 'c',
      requestId: 'req_1',
    });
    expect(sent).toHaveLength(2);
  });

  test.each([
    [400, {}],
    [401, {}],
    [404, {}],
    [500, { 'x-should-retry': 'false' }],
  ])('%d %j is not tried again', async (status, headers) => {
    const { fetch, sent } = fakeFetch(() => failure(status, headers));
    await expect(new TensorFold({ fetch }).chat.create({ messages })).rejects.toThrow(HttpError);
    expect(sent).toHaveLength(1);
  });

  test('a refused connection is, a broken stream is not', async () => {
    const refused = fakeFetch((_sent, index) => {
      if (index === 0) throw new TypeError('fetch failed');
      return json({ ok: true });
    });
    expect(await new TensorFold({ fetch: refused.fetch }).chat.create({ messages })).toEqual({ ok: true });
    const broken = fakeFetch(
      () => new Response(bodyOf([`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`], new Error('reset'))),
    );
    const stream = new TensorFold({ fetch: broken.fetch }).chat.stream({ messages });
    await expect(stream.final()).rejects.toThrow(ConnectionError);
    expect(broken.sent).toHaveLength(1);
  });
});

describe('timeouts and aborts', () => {
  const never = () => new Promise<Response>(() => {});

  test('a reply that does not come is a TimeoutError', async () => {
    const { fetch } = fakeFetch(never);
    await expect(new TensorFold({ fetch }).chat.create({ messages }, { timeoutMs: 20 })).rejects.toThrow(TimeoutError);
  });

  test('a silent stream is one too; comments keep it alive', async () => {
    const hanging = fakeFetch(() => new Response(bodyOf([], 'hang')));
    const client = new TensorFold({ fetch: hanging.fetch });
    await expect(client.chat.stream({ messages }, { idleTimeoutMs: 30 }).final()).rejects.toThrow(/silent for 30 ms/);
    const frames = [delta({ content: 'a' }), delta({}, 'stop')].map((frame) => `data: ${JSON.stringify(frame)}\n\n`);
    const slow = fakeFetch(() => new Response(bodyOf([': keepalive\n\n', 60, ': keepalive\n\n', 60, ...frames])));
    const reply = await new TensorFold({ fetch: slow.fetch }).chat.stream({ messages }, { idleTimeoutMs: 100 }).final();
    expect(reply.choices[0]?.message.content).toBe('a');
  });

  test("the caller's signal ends a call and a stream by an AbortedError", async () => {
    const controller = new AbortController();
    const { fetch } = fakeFetch(never);
    const reply = new TensorFold({ fetch }).chat.create({ messages }, { signal: controller.signal });
    controller.abort();
    await expect(reply).rejects.toThrow(AbortedError);
    const hanging = fakeFetch(
      () => new Response(bodyOf([`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`], 'hang')),
    );
    const stream = new TensorFold({ fetch: hanging.fetch }).chat.stream({ messages });
    const read = async () => {
      for await (const event of stream) if (event.type === 'text') stream.abort();
    };
    await expect(read()).rejects.toThrow(TensorFoldError);
  });
});

test('what is no JSON is a ParseError', async () => {
  const html = fakeFetch(() => new Response('<html>'));
  await expect(new TensorFold({ fetch: html.fetch }).chat.create({ messages })).rejects.toThrow(ParseError);
  const frame = fakeFetch(() => sse('{"half'));
  await expect(new TensorFold({ fetch: frame.fetch }).chat.stream({ messages }).final()).rejects.toThrow(ParseError);
});

test('paths are below the base URL, or below the root', async () => {
  const { fetch, sent } = fakeFetch(() => json({ data: [] }));
  const client = new TensorFold({ fetch, baseURL: 'http://host/v1/' });
  await client.models();
  await client.health();
  expect(sent.map((each) => each.url)).toEqual(['http://host/v1/models', 'http://host/health']);
});

test('ready is a question, not an error', async () => {
  const { fetch } = fakeFetch((_sent, index) => (index === 0 ? json({ status: 'ok' }) : failure(503)));
  const client = new TensorFold({ fetch });
  expect([await client.isReady(), await client.isReady()]).toEqual([true, false]);
});
