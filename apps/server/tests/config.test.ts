import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isSessionTitleRequest } from '../src/generation/session-title.ts';
import { readApiKeys, resolveConfig } from '../src/config.ts';

test('flags win over the environment, the environment over the defaults', () => {
  const env = { TF_API_KEY: 'from-env' };
  expect(resolveConfig({}, {}).apiKeys).toEqual([]);
  expect(resolveConfig({}, env).apiKeys).toEqual(['from-env']);
  expect(resolveConfig({ apiKeys: ['flag'] }, env).apiKeys).toEqual(['flag']);
  expect(resolveConfig({ port: undefined, topK: 4 }, {})).toMatchObject({ port: 8080, topK: 4 });
});

test('a key file has a key a line; blank lines and comments are none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'keys');
  writeFileSync(path, '# team a\r\n  key-1  \n\nkey-2\n');
  expect(readApiKeys(path)).toEqual(['key-1', 'key-2']);
});

test('a session-title request casts the model as a title generator, without tools', () => {
  const asks = (content: unknown, fields: object = {}) =>
    isSessionTitleRequest({
      messages: [
        { role: 'system', content },
        { role: 'user', content: 'hi' },
      ],
      ...fields,
    } as never);
  for (const content of [
    'You are a title generator. You output ONLY a thread title. Nothing else.',
    '\nYou are an expert conversation title writer.',
    'Generate a short title for this conversation.',
    [{ type: 'text', text: 'You are a title generator.' }],
  ]) {
    expect(asks(content)).toBe(true);
  }
  expect(asks('You are a title generator.', { tools: [{ type: 'function', function: { name: 'f' } }] })).toBe(false);
  expect(asks('You are a helpful assistant. If asked, generate a title.')).toBe(false);
  expect(isSessionTitleRequest({ messages: [{ role: 'user', content: 'You are a title generator.' }] } as never)).toBe(
    false,
  );
});
