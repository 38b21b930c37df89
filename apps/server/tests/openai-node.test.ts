// The openai package against our wire: its own checks throw where a shape is wrong.

import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { testServer } from './scripted-server.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];

async function client(options: Parameters<typeof testServer>[0] = {}) {
  const server = testServer(options);
  const openai = new OpenAI({ baseURL: `${await server.listen()}/v1`, apiKey: 'any', maxRetries: 2 });
  return { server, openai };
}

test('create gives a reply with its request id', async () => {
  const { openai } = await client();
  const reply = await openai.chat.completions.create({ model: 'scripted', messages });
  expect(reply.choices[0]?.message.content).toBe('Hello there.');
  expect(reply._request_id).toMatch(/^req_/);
});

test('create with stream iterates chunks', async () => {
  const { openai } = await client();
  let text = '';
  const stream = await openai.chat.completions.create({ model: 'scripted', messages, stream: true });
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe('Hello there.');
});

test('the stream helper puts the reply together', async () => {
  const { openai } = await client();
  const runner = openai.chat.completions.stream({
    model: 'scripted',
    messages,
    stream_options: { include_usage: true },
  });
  const final = await runner.finalChatCompletion();
  expect(final.choices[0]?.message.content).toBe('Hello there.');
  expect(final.choices[0]?.finish_reason).toBe('stop');
  expect((await runner.totalUsage()).completion_tokens).toBe(5);
});

test('a refusal is its BadRequestError, with param and code', async () => {
  const { openai } = await client();
  const refused = openai.chat.completions.create({ model: 'scripted', messages, max_tokens: 100_000 });
  await expect(refused).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'max_tokens' });
});

test('a failed reply is not tried again', async () => {
  const { server, openai } = await client({
    play: { rounds: [['a']], failure: { round: 0, error: new Error('broken') } },
  });
  await expect(openai.chat.completions.create({ model: 'scripted', messages })).rejects.toMatchObject({ status: 500 });
  expect(server.engine.requests).toHaveLength(1);
});

test('a failure inside a stream is thrown to the reader', async () => {
  const { openai } = await client({
    play: { rounds: [['a'], ['b']], failure: { round: 1, error: new Error('broken') } },
  });
  const stream = await openai.chat.completions.create({ model: 'scripted', messages, stream: true });
  const read = async () => {
    for await (const chunk of stream) expect(chunk.choices).toHaveLength(1);
  };
  await expect(read()).rejects.toThrow(OpenAI.APIError);
});

test('models are listed and retrieved, completions created', async () => {
  const { openai } = await client();
  const ids = [];
  for await (const model of openai.models.list()) ids.push(model.id);
  expect(ids).toEqual(['scripted', 'other-name']);
  expect((await openai.models.retrieve('scripted')).id).toBe('scripted');
  const reply = await openai.completions.create({ model: 'scripted', prompt: 'Once' });
  expect(reply.choices[0]?.text).toBe('Hello there.');
});
