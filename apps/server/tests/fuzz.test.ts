// Bodies nobody would write: a reply or a 4xx in the API's shape, never a 500, and the server goes on.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorSchema, operations } from '@tensorfold/protocol';
import { testServer, user } from './scripted-server.ts';

const fieldsOf = (path: string): string[] => {
  const { request } = operations.find((each) => each.path === path && each.method === 'post') ?? {};
  return Object.keys((request as unknown as { shape: object }).shape);
};

/** Values near what a field wants, and far from it. */
const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  fc.constantFrom(
    null,
    true,
    false,
    0,
    1,
    -1,
    0.5,
    1e300,
    40.0,
    '',
    'auto',
    'required',
    'none',
    'low',
    'background',
    [],
    {},
    [''],
    ['a'],
  ),
  fc.constantFrom(
    { type: 'function', function: { name: 'f' } },
    [{ type: 'function', function: { name: 'f' } }],
    [{ type: 'function', name: 'f' }],
  ),
  fc.constantFrom(
    { type: 'json_object' },
    { include_usage: true },
    { enable_thinking: true },
    { effort: 'low' },
    { format: null },
  ),
);

test.each([
  ['/v1/chat/completions', { messages: user('hi') }],
  ['/v1/completions', { prompt: 'hi' }],
  ['/v1/responses', { input: 'hi' }],
  ['/tokenize', { prompt: 'hi' }],
  ['/detokenize', { tokens: [104] }],
])('%s', async (path, good) => {
  const server = testServer();
  const entries = fc.array(fc.tuple(fc.constantFrom(...fieldsOf(path)), anyValue), { maxLength: 4 });
  const bodies = fc.oneof(
    { weight: 5, arbitrary: entries.map((fields) => ({ ...good, ...Object.fromEntries(fields) })) },
    fc.jsonValue({ maxDepth: 3 }),
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { status, json } = await server.post(path, JSON.stringify(body));
      if (status === 200) return;
      expect([400, 404]).toContain(status);
      const { error } = errorSchema.parse(json);
      expect(error.message).not.toBe('');
    }),
    { numRuns: 300 },
  );
  expect((await server.post(path, good)).status).toBe(200);
});
