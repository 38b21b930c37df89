import { expect, test } from 'vitest';
import { operations } from '@tensorfold/protocol';
import type { Script } from '../src/testing/index.ts';
import { events, testServer, user } from './scripted-server.ts';

const call = ['<tool_call>', '\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n', '</tool_call>'];
const everything: Script = { rounds: [['<think>', 'hm', '</think>'], ['Four', '.'], call] };
const tools = [
  {
    type: 'function',
    function: { name: 'add', parameters: { type: 'object', properties: { a: { type: 'integer' } } } },
  },
];

const schemaOf = (path: string, method = 'post') => {
  const operation = operations.find((each) => each.path === path && each.method === method);
  if (operation === undefined || operation.reply === 'text') throw new Error(`no schema for ${method} ${path}`);
  return { reply: operation.reply, event: operation.event };
};

test('the document has the routes of the server, and no others', async () => {
  const server = testServer();
  const served = server.app.routes.flatMap(({ url, methods }) =>
    methods
      .filter((method) => method !== 'HEAD')
      .map((method) => `${method} ${url.replace(/:(\w+)/g, '{$1}').replace('*', '{id}')}`),
  );
  const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(served.sort()).toEqual([...described].sort());
  const { status, json } = await server.get('/openapi.json');
  expect(status).toBe(200);
  expect(json.openapi).toBe('3.1.0');
  expect(Object.keys(json.paths).sort()).toEqual([...new Set(operations.map((each) => each.path))].sort());
});

test('replies and events are what it says, to the last key', async () => {
  const server = testServer({ play: everything });
  const chat = { messages: user('hi'), tools };
  const completion = { prompt: 'hi' };
  const response = { input: 'hi', tools: [{ type: 'function', name: 'add', parameters: {} }], metadata: { a: 'b' } };
  for (const [path, body] of [
    ['/v1/chat/completions', chat],
    ['/v1/completions', completion],
    ['/v1/responses', response],
  ] as const) {
    const { reply, event } = schemaOf(path);
    reply.parse((await server.post(path, body)).json);
    for (const options of [{}, { stream_options: { include_usage: true } }]) {
      const streamed = await server.post(path, { ...body, stream: true, ...options });
      const frames =
        path === '/v1/responses'
          ? [...streamed.body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as unknown)
          : events(streamed);
      expect(frames.length).toBeGreaterThan(3);
      for (const frame of frames) event?.parse(frame);
    }
  }
  const stored = (await server.post('/v1/responses', response)).json;
  schemaOf('/v1/responses/{id}', 'get').reply.parse((await server.get(`/v1/responses/${stored.id}`)).json);
  schemaOf('/v1/responses/{id}', 'delete').reply.parse((await server.delete(`/v1/responses/${stored.id}`)).json);
  schemaOf('/v1/models', 'get').reply.parse((await server.get('/v1/models')).json);
  schemaOf('/v1/models/{id}', 'get').reply.parse((await server.get('/v1/models/scripted')).json);
  schemaOf('/tokenize').reply.parse((await server.post('/tokenize', { prompt: 'hi' })).json);
  schemaOf('/detokenize').reply.parse((await server.post('/detokenize', { tokens: [104] })).json);
  for (const path of ['/health', '/health/live', '/health/ready']) {
    schemaOf(path, 'get').reply.parse((await server.get(path)).json);
  }
});
