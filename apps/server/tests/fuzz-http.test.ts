// Bodies as bytes, over one kept connection: whatever comes, an answer below 500, and the next request on it is served.

import { Agent, request } from 'node:http';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { operations } from '@tensorfold/protocol';
import { testServer, user } from './scripted-server.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly connection: number;
}

/** Posts over one kept-alive connection; `connection` numbers those that were opened. */
function keptConnection(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sockets: unknown[] = [];
  return {
    post: (path: string, body: Buffer | string) =>
      new Promise<Answer>((resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => {
            if (!sockets.includes(sent.socket)) sockets.push(sent.socket);
            const text = Buffer.concat(parts).toString();
            resolve({ status: response.statusCode ?? 0, text, connection: sockets.indexOf(sent.socket) });
          });
          response.on('error', reject);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => {
      agent.destroy();
    },
  };
}

const good: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages: user('hi') },
  '/v1/completions': { prompt: 'hi' },
  '/v1/responses': { input: 'hi' },
  '/tokenize': { prompt: 'hi' },
  '/detokenize': { tokens: [104] },
};
const paths = Object.keys(good);

const tool = {
  type: 'function',
  function: { name: 'add', parameters: { type: 'object', properties: { a: { type: 'integer' } } } },
};
/** A body with something in every place that has a shape of its own. */
const full: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    model: 'scripted',
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'a' }] },
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'r',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '3' },
    ],
    tools: [tool],
    tool_choice: { type: 'function', function: { name: 'add' } },
    response_format: { type: 'text' },
    stream_options: { include_usage: true },
    chat_template_kwargs: { enable_thinking: true },
    stop: ['x'],
    temperature: 0.5,
    seed: 7,
  },
  '/v1/completions': { prompt: [1, 2], max_tokens: 3, stop: 'x' },
  '/v1/responses': {
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'r' }] },
      { type: 'function_call', call_id: 'c', name: 'add', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'b' }] },
    ],
    tools: [{ type: 'function', name: 'add', parameters: {} }],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'add' }] },
    text: { format: { type: 'text' } },
    reasoning: { effort: 'low' },
    metadata: { a: 'b' },
  },
  '/tokenize': { messages: user('hi'), tools: [tool] },
  '/detokenize': { tokens: [104] },
};

/** Values as their JSON text, so that what no JSON writer writes is there too. */
const oddText = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '1e999',
    '-1e999',
    'NaN',
    '01',
    '1.',
    '"\\ud800"',
    '"\\u0000"',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":1}}',
    'tru',
    '',
    '[',
    '{"a":1,"a":2}',
  ),
  fc.integer({ min: 1, max: 3000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 3000 }).map((depth) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)),
  fc.integer({ min: 1, max: 200_000 }).map((length) => JSON.stringify('x'.repeat(length))),
  fc
    .integer({ min: 1, max: 3000 })
    .map((length) => JSON.stringify(Array.from({ length }, () => ({ type: 'text', text: '' })))),
);

/** The body with one value anywhere in it put by another. */
function withOdd(body: object, where: number, odd: string): string {
  let number = -1;
  let total = 0;
  const mark = '\u0001odd\u0001';
  const walk = (value: unknown): unknown => {
    number += 1;
    if (number === total) return mark;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  total = -1;
  walk(body);
  total = 1 + (where % number);
  number = -1;
  return JSON.stringify(walk(body)).replace(JSON.stringify(mark), () => odd);
}

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array)),
  fc.constantFrom('', ' ', '\ufeff{}', '{"a":1', '[]', 'null', '"x"', '3').map((text) => Buffer.from(text)),
);

test.each(paths)(
  '%s: bodies near a request and far from it',
  async (path) => {
    const server = testServer({ config: { bodyLimitBytes: 2 ** 20 } });
    const connection = keptConnection(await server.listen());
    const { request: schema } = operations.find((each) => each.path === path && each.method === 'post') ?? {};
    const fields = Object.keys((schema as unknown as { shape: object }).shape);
    const bodies = fc.oneof(
      {
        weight: 4,
        arbitrary: fc
          .tuple(fc.nat(200), oddText)
          .map(([where, odd]) => Buffer.from(withOdd(full[path] ?? {}, where, odd))),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...fields), oddText)
          .map(([field, odd]) =>
            Buffer.from(`${JSON.stringify(good[path]).slice(0, -1)},${JSON.stringify(field)}:${odd}}`),
          ),
      },
      { weight: 1, arbitrary: bytes },
      {
        weight: 1,
        // Bytes that are no UTF-8, in the middle of a good body.
        arbitrary: fc.tuple(fc.nat(1000), fc.constantFrom(0x80, 0xc0, 0xff)).map(([where, byte]) => {
          const text = Buffer.from(JSON.stringify(full[path]));
          text[where % text.length] = byte;
          return text;
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await connection.post(path, body);
        expect(answer.status, `${answer.text} for ${body.toString().slice(0, 300)}`).toBeLessThan(500);
        if (answer.status !== 200)
          expect(JSON.parse(answer.text)).toMatchObject({
            error: { message: expect.stringMatching(/./), type: expect.any(String) },
          });
        const next = await connection.post(path, JSON.stringify(good[path]));
        expect([next.status, next.connection]).toEqual([200, answer.connection]);
      }),
      { numRuns: 150 },
    );
    connection.close();
  },
  120_000,
);

test('a body of 40 MiB is a 413, its first half is not kept, and the next request is served', async () => {
  const server = testServer();
  const connection = keptConnection(await server.listen());
  const body = Buffer.alloc(40 * 2 ** 20, 'x');
  body.write('{"messages":[{"role":"user","content":"');
  const answer = await connection.post('/v1/chat/completions', body).catch((error: Error) => error);
  // The answer may come while the client still writes.
  if (!(answer instanceof Error)) expect(answer.status).toBe(413);
  expect((await connection.post('/v1/chat/completions', JSON.stringify(good['/v1/chat/completions']))).status).toBe(
    200,
  );
  expect(server.engine.requests).toHaveLength(1);
  connection.close();
}, 60_000);

test('keys that would reach a prototype are a 400 wherever they stand, and the last of two equal keys holds', async () => {
  const server = testServer();
  for (const text of [
    '{"messages":[{"role":"user","content":"x","__proto__":{"y":1}}]}',
    '{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"__proto__":{"a":1}}}}]}',
  ]) {
    expect((await server.post('/v1/chat/completions', text)).status).toBe(400);
  }
  expect(({} as Record<string, unknown>)['y']).toBeUndefined();
  const twice = '{"messages":[{"role":"user","content":"x"}],"max_tokens":1,"max_tokens":2,"ignore_eos":true}';
  expect((await server.post('/v1/chat/completions', twice)).json.usage.completion_tokens).toBe(2);
});

test.each(paths)(
  '%s: a value 512 deep is read, a deeper one is a 400, and brackets in strings are text',
  async (path) => {
    const server = testServer();
    const connection = keptConnection(await server.listen());
    const withExtra = (json: string) => `${JSON.stringify(good[path]).slice(0, -1)},"metadata":${json}}`;
    const nested = (open: string, close: string, count: number) =>
      withExtra(`${open.repeat(count)}1${close.repeat(count)}`);
    const refused = 'the request body nests objects and arrays more than 512 deep';
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      // The body's own object is one of the 512.
      expect((await connection.post(path, nested(open, close, 511))).text).not.toContain(refused);
      for (const count of [512, 3000, 200_000]) {
        const answer = await connection.post(path, nested(open, close, count));
        expect([answer.status, JSON.parse(answer.text)], `${count}`).toMatchObject([
          400,
          { error: { message: refused } },
        ]);
      }
    }
    for (const text of ['[['.repeat(400), `\\"${'{'.repeat(600)}`, '\\\\'.repeat(3)]) {
      expect((await connection.post(path, withExtra(`"${text}"`))).text).not.toContain(refused);
    }
    expect((await connection.post(path, JSON.stringify(good[path]))).status).toBe(200);
    connection.close();
  },
);
