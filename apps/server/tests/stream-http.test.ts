// Streams over real sockets: pace, silence, and clients that leave.

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

test('a reader that stops reading stops its reply, not the server', async () => {
  const word = ' x'.repeat(20_000);
  const server = testServer({
    play: { rounds: Array.from({ length: 2000 }, (_, n) => [`${n}${word}`]) },
  });
  const url = await server.listen();
  const response = await post(url, { stream: true });
  const reader = response.body?.getReader();
  await reader?.read();
  await sleep(500);
  const before = server.engine.health().completionTokensTotal;
  await sleep(300);
  // Socket buffers hold a few MiB; the whole reply is 80.
  expect(server.engine.health().completionTokensTotal).toBe(before);
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
