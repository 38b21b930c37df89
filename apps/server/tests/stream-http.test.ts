// Streams over real sockets: pace, silence, and clients that leave.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testServer, user } from './scripted-server.ts';
import type { Script } from '../src/testing/index.ts';

const endless: Script = { rounds: Array.from({ length: 100_000 }, (_, n) => [` ${n}`]), roundMs: 2 };

function post(url: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: user('hi'), max_tokens: 4000, ...body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries > 500) throw new Error('it never came true');
    await sleep(10);
  }
}

for (const stream of [true, false]) {
  test(`a client that leaves ends its request (stream ${stream})`, async () => {
    const server = testServer({ play: endless });
    const url = await server.listen();
    const controller = new AbortController();
    const reply = post(url, { stream }, controller.signal).then((response) => response.text());
    await until(() => server.engine.health().completionTokensTotal > 3);
    controller.abort();
    await expect(reply).rejects.toThrow();
    await until(() => server.engine.health().requestsRunning === 0);
    const metrics = (await server.get('/metrics')).body;
    expect(metrics).toContain('tensorfold_requests_cancelled_total{model="scripted",phase="replying"} 1');
  });
}

test('a waiting client that leaves never starts, and stops nobody else (G18)', async () => {
  const server = testServer({
    play: { rounds: Array.from({ length: 60 }, (_, n) => [` ${n}`]), roundMs: 5 },
    engine: { card: { lanes: 1 } },
  });
  const url = await server.listen();
  const first = post(url, { stream: true }).then((response) => response.text());
  await until(() => server.engine.health().completionTokensTotal > 3);
  const leaving = new AbortController();
  const streamed = post(url, { stream: true }, leaving.signal);
  const whole = post(url, {}, leaving.signal);
  await until(() => server.engine.health().requestsQueued === 2);
  leaving.abort();
  await Promise.allSettled([streamed, whole]);
  await until(() => server.engine.health().requestsQueued === 0);
  const after = post(url, {});
  expect(await first).toContain(' 59');
  expect((await first).endsWith('data: [DONE]\n\n')).toBe(true);
  expect((await after).status).toBe(200);
  expect(server.engine.numStarted).toBe(2);
});

test('silence is filled with comments', async () => {
  const server = testServer({ play: { rounds: [['a']], prefillMs: 1500 }, config: { keepAliveMs: 100 } });
  const text = await (await post(await server.listen(), { stream: true })).text();
  expect(text.startsWith(': keepalive\n\n')).toBe(true);
  expect(text).toContain('"content":"a"');
});

test('a Responses stream fills silence with typed events, numbered like the others', async () => {
  const server = testServer({ play: { rounds: [['a']], prefillMs: 1500 }, config: { keepAliveMs: 100 } });
  const url = await server.listen();
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'hi', stream: true }),
  });
  const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ''));
  const waiting = events.filter((event) => event.type === 'response.in_progress');
  expect(waiting.length).toBeGreaterThan(5);
  for (const event of waiting) expect(event.response).toMatchObject({ status: 'in_progress', output: [], usage: null });
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.at(-1).type).toBe('response.completed');
});

test('every frame is written whole, by one write, on every route', async () => {
  const call = [
    '<tool_call>',
    '\n<function=add>\n<parameter=a>\nlong ',
    'text 😸',
    '\n</parameter>\n</function>\n',
    '</tool_call>',
  ];
  const failing: Script = { rounds: [['a'], ['b']], failure: { round: 1, error: new Error('broken') } };
  for (const play of [
    { rounds: [['<think>', 'hm', '</think>'], ['Four', '.'], ...call.map((token) => [token])] },
    failing,
  ]) {
    const server = testServer({ play });
    const writes: string[] = [];
    server.app.http.addHook('onRequest', (_request, reply, done) => {
      const write = reply.raw.write.bind(reply.raw) as (data: string) => boolean;
      reply.raw.write = (data: unknown) => {
        writes.push(String(data));
        return write(String(data));
      };
      done();
    });
    const url = await server.listen();
    const tools = [{ type: 'function', function: { name: 'add', parameters: {} } }];
    for (const [path, body] of [
      ['/v1/chat/completions', { messages: user('hi'), tools }],
      ['/v1/completions', { prompt: 'hi' }],
      ['/v1/responses', { input: 'hi', tools: [{ type: 'function', name: 'add', parameters: {} }] }],
    ] as const) {
      writes.length = 0;
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
      });
      const text = await response.text();
      expect(writes.join('')).toBe(text);
      // A failure is told with the end it brings; else a write is a frame.
      for (const written of writes)
        expect(written).toMatch(/^(?:event: \S+\n)?data: [^\n]+\n\n(?:data: \[DONE\]\n\n)?$/);
      expect(writes.length).toBeGreaterThanOrEqual(path === '/v1/completions' ? 2 : 3);
    }
  }
});

test('a client may leave at any moment: nothing goes on running, nothing counts as a fault, the next is served', async () => {
  const server = testServer({
    play: { rounds: Array.from({ length: 30 }, (_, n) => [` ${n}`]), roundMs: 2, prefillMs: 10 },
    engine: { card: { lanes: 2 } },
  });
  const url = await server.listen();
  const leave = async (number: number): Promise<void> => {
    const controller = new AbortController();
    const path = number % 3 === 0 ? '/v1/responses' : '/v1/chat/completions';
    const reply = fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: user('hi'), input: 'hi', stream: number % 2 === 0 }),
      signal: controller.signal,
    }).then((response) => response.text());
    setTimeout(() => {
      controller.abort();
    }, number * 2);
    await reply.catch(() => {});
  };
  await Promise.all(Array.from({ length: 60 }, (_, number) => leave(number)));
  await until(() => server.engine.health().requestsRunning === 0 && server.engine.health().requestsQueued === 0);
  const metrics = (await server.get('/metrics')).body;
  expect(metrics).not.toMatch(/tensorfold_request_errors_total\{/);
  expect((await (await post(url, {})).json()) as object).toMatchObject({ object: 'chat.completion' });
});

test('a body that is never finished holds nothing and harms nobody', async () => {
  const server = testServer();
  const { hostname, port } = new URL(await server.listen());
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  for (const sent of [
    head,
    `${head}content-length: 1000\r\n\r\n{"messages":`,
    `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"a"`,
  ]) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(sent, () => socket.destroy());
      });
      socket.on('close', () => {
        resolve();
      });
    });
  }
  expect((await server.chat()).status).toBe(200);
  expect(server.engine.requests).toHaveLength(1);
});

test('a reader that stops reading stops its reply, not the server', async () => {
  const word = ' x'.repeat(20_000);
  const server = testServer({
    play: { rounds: Array.from({ length: 2000 }, (_, n) => [`${n}${word}`]) },
  });
  const url = await server.listen();
  const response = await post(url, { stream: true });
  const reader = response.body?.getReader();
  await reader?.read();
  const tokens = () => server.engine.health().completionTokensTotal;
  let before = 0;
  for (let now = tokens(); now !== before || now === 0; now = tokens()) {
    before = now;
    await sleep(400);
  }
  // Socket buffers hold a few MiB; the whole reply is 80.
  expect(before).toBeLessThan(1500);
  expect((await server.get('/health')).status).toBe(200);
  await reader?.cancel();
  await until(() => server.engine.health().requestsRunning === 0);
});

test('four at once each get what they get alone', async () => {
  const server = testServer({
    play: (_request, prompt) => ({ rounds: Array.from(prompt.slice(-40), (character) => [character]) }),
  });
  const url = await server.listen();
  const ask = async (content: string) =>
    (await (await post(url, { messages: user(content) })).json()) as { id: string };
  const contents = ['one', 'two', 'three', 'four'];
  const alone = [];
  for (const content of contents) alone.push(await ask(content));
  const together = await Promise.all(contents.map(ask));
  const texts = (replies: unknown[]) => replies.map((reply) => (reply as { choices: unknown }).choices);
  expect(texts(together)).toEqual(texts(alone));
  expect(new Set(together.map((reply) => reply.id)).size).toBe(4);
});
