// `tf` without a model: the embedded one, and one line that says so.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TensorFold } from '@tensorfold/client';
import { modelAndPrompt } from '../src/commands/run.ts';
import { embeddedHint, embeddedPath } from '../src/embedded-model.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function tf(...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--conditions=@tensorfold/source', main, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  const text = { out: '', err: '' };
  child.stdout.on('data', (data) => (text.out += String(data)));
  child.stderr.on('data', (data) => (text.err += String(data)));
  child.stdin.end();
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, text, ended };
}

test('tf models shows it', async () => {
  const { text, ended } = tf('models', '--json');
  expect(await ended).toBe(0);
  expect(JSON.parse(text.out).models).toEqual([
    { name: 'tf-demo', embedded: true, bytes: expect.any(Number), path: embeddedPath() },
  ]);
  const listed = tf('models');
  await listed.ended;
  expect(listed.text.out).toMatch(/^tf-demo {2}.*comes with TensorFold\n/);
});

test('tf run with a prompt alone asks it, and says so on stderr', async () => {
  const { text, ended } = tf('run', '--temperature', '0', 'What is GGUF?');
  expect(await ended).toBe(0);
  expect(text.out).toBe('GGUF is a file format for models: metadata, tokenizer and tensors in one file.\n');
  expect(text.err.split('\n')[0]).toBe(embeddedHint);
});

test('tf serve alone serves it as tf-demo, and says so in one line', async () => {
  const { child, text, ended } = tf('serve', '--port', '0', '--json');
  while (!text.out.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 20));
  const ready = JSON.parse(text.out);
  expect(ready.model).toBe('tf-demo');
  expect(text.err.split('\n').filter((line) => line === embeddedHint)).toHaveLength(1);
  const client = new TensorFold({ baseURL: `${ready.url}/v1` });
  const reply = await client.chat.create({
    messages: [{ role: 'user', content: 'What is TensorFold?' }],
    temperature: 0,
  });
  expect(reply.choices[0]?.message.content).toContain('OpenAI-compatible server');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

describe('tf run tells a model from a prompt', () => {
  test.each([
    [
      ['model.gguf', undefined],
      ['model.gguf', undefined],
    ],
    [
      ['tf-demo', undefined],
      ['tf-demo', undefined],
    ],
    [
      ['./folder/model', undefined],
      ['./folder/model', undefined],
    ],
    [
      ['What is 2 + 2?', undefined],
      [undefined, 'What is 2 + 2?'],
    ],
    [
      ['model.gguf', 'hi'],
      ['model.gguf', 'hi'],
    ],
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  ] as const)('%j', ([first, second], expected) => {
    expect(modelAndPrompt(first, second)).toEqual(expected);
  });
});
