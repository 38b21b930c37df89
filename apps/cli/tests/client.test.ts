// The client against the server: both ends are ours, so what one says the other must read.

import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HttpError, StreamError, TensorFold } from '@tensorfold/client';
import { buildApp, serveEngine } from '@tensorfold/server';
import { ScriptedEngine, type Script } from '@tensorfold/server/testing';

const messages = [{ role: 'user' as const, content: 'hi' }];
const add = ['<tool_call>', '\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n', '</tool_call>'];

async function clientOf(play: (prompt: string) => Script): Promise<TensorFold> {
  const engine = new ScriptedEngine({ play: (_request, prompt) => play(prompt) });
  const app = buildApp({ model: serveEngine(engine, 'scripted'), config: { log: 'silent', apiKeys: ['key'] } });
  await app.http.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.drain());
  const { port } = app.http.server.address() as AddressInfo;
  return new TensorFold({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'key' });
}

test('a chat is the same whole and streamed', async () => {
  const client = await clientOf(() => ({ rounds: [['<think>'], ['hm'], ['</think>', '\n\n'], ['Four', '.']] }));
  const whole = await client.chat.create({ messages });
  const streamed = await client.chat.stream({ messages }).final();
  expect(streamed.choices).toEqual(whole.choices);
  expect(streamed.tensorfold.token_sha).toBe(whole.tensorfold.token_sha);
});

test('a response is continued, read and removed', async () => {
  const client = await clientOf(() => ({ rounds: [['Four', '.']] }));
  const first = await client.responses.stream({ input: 'hi' }).final();
  expect(first.output_text).toBe('Four.');
  const second = await client.responses.continue(first, { input: 'and?' });
  expect(second.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(0);
  expect((await client.responses.get(first.id)).output).toEqual(first.output);
  expect((await client.responses.delete(first.id)).deleted).toBe(true);
  await expect(client.responses.get(first.id)).rejects.toMatchObject({ status: 404, code: 'response_not_found' });
});

test('tools run until there is an answer', async () => {
  const client = await clientOf((prompt) => ({ rounds: prompt.includes('sum is 3') ? [['It is 3.']] : [add] }));
  const seen: unknown[] = [];
  const run = (args: unknown) => (seen.push(args), 'sum is 3');
  const parameters = { type: 'object', properties: { a: { type: 'integer' } } };
  const { completion, messages: all } = await client.runTools({ messages, tools: { add: { parameters, run } } });
  expect(seen).toEqual([{ a: 1 }]);
  expect(completion.choices[0]?.message.content).toBe('It is 3.');
  expect(all.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
});

test('refusals and failures arrive as their errors', async () => {
  const client = await clientOf(() => ({ rounds: [['a'], ['b']], failure: { round: 1, error: new Error('x') } }));
  await expect(client.chat.create({ messages, top_p: 1.4 })).rejects.toThrow(
    'top_p must be a number between 0 and 1, got 1.4',
  );
  await expect(client.chat.create({ messages, top_p: 1.4 })).rejects.toThrow(HttpError);
  await expect(client.chat.stream({ messages }).final()).rejects.toThrow(StreamError);
  await expect(client.responses.stream({ input: 'hi' }).final()).rejects.toThrow(StreamError);
});

test('the small routes', async () => {
  const client = await clientOf(() => ({ rounds: [['a']] }));
  expect((await client.models()).map((model) => model.id)).toEqual(['scripted']);
  expect((await client.tokenize({ prompt: 'hi' })).tokens).toEqual([104, 105]);
  expect((await client.detokenize({ tokens: [104, 105] })).prompt).toBe('hi');
  expect(await client.isReady()).toBe(true);
  expect((await client.health()).status).toBe('ok');
  expect(await client.metrics()).toContain('tensorfold_ready');
  expect((await client.complete({ prompt: 'x' })).choices[0]?.text).toBe('a');
  let text = '';
  for await (const chunk of client.streamCompletion({ prompt: 'x' })) text += chunk.choices[0]?.text ?? '';
  expect(text).toBe('a');
});
