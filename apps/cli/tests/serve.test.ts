// `tf` as a process, over the real engine and a tiny checkpoint.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { TensorFold } from '@tensorfold/client';
import { writeTinyModel } from '../../../tools/tiny-model/tiny-model.ts';

const folder = mkdtempSync(join(tmpdir(), 'tensorfold-cli-'));
const model = join(folder, 'tiny.gguf');
writeTinyModel(model, { family: 'qwen3', type: 'Q8_0', contextTokens: 512 });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function tf(...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', '--conditions=@tensorfold/source', main, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function end(child: ChildProcess, input = ''): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (data) => (out += String(data)));
  child.stderr?.on('data', (data) => (err += String(data)));
  child.stdin?.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (data) => {
      text += String(data);
      if (text.includes('\n')) resolve(text.split('\n')[0] ?? '');
    });
    child.on('close', () => reject(new Error(`tf ended without a line: ${text}`)));
  });
}

/** Waits until the server has a request, or has had one: on a busy machine a short one may be over when this looks. */
async function hasBegun(client: TensorFold): Promise<void> {
  for (;;) {
    const { requests_running, requests_total } = await client.health();
    if (requests_running > 0 || requests_total > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('tf serve', () => {
  test('--json prints one line when ready; SIGTERM drains and exits 0', async () => {
    const child = tf('serve', model, '--port', '0', '--json', '--quiet', '--alias', 'tiny');
    const ready = JSON.parse(await firstLine(child));
    expect(ready).toEqual({
      schema_version: 1,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      model: 'tiny',
      window: 512,
      lanes: expect.any(Number),
      memory_bytes: expect.any(Number),
    });
    const client = new TensorFold({ baseURL: `${ready.url}/v1` });
    const running = client.chat.create({
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 60,
      ignore_eos: true,
    });
    await hasBegun(client);
    child.kill('SIGTERM');
    expect((await running).usage.completion_tokens).toBe(60);
    expect(await end(child)).toMatchObject({ code: 0, err: '' });
  });

  test('one Ctrl-C that comes twice still drains', async () => {
    const child = tf('serve', model, '--port', '0', '--json');
    const { url } = JSON.parse(await firstLine(child));
    const client = new TensorFold({ baseURL: `${url}/v1` });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const running = client.chat.create({ messages, max_tokens: 400, ignore_eos: true });
    await hasBegun(client);
    child.stderr?.once('data', () => child.kill('SIGINT'));
    child.kill('SIGINT');
    expect((await running).usage.completion_tokens).toBe(400);
    expect((await end(child)).code).toBe(130);
  });

  test('a port that is taken exits 1 and says so', async () => {
    const first = tf('serve', model, '--port', '0', '--json', '--quiet');
    const { url } = JSON.parse(await firstLine(first));
    const second = await end(tf('serve', model, '--port', new URL(url).port, '--quiet'));
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(second.err).toContain('is taken');
    first.kill('SIGTERM');
    expect((await end(first)).code).toBe(0);
  });

  test('--dry-run describes the model and leaves', async () => {
    const { code, out } = await end(tf('serve', model, '--dry-run', '--json'));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ schema_version: 1, family: 'qwen3', memory_bytes: expect.any(Number) });
  });
});

describe('tf run', () => {
  const flags = ['--seed', '1', '--max-tokens', '8', '--quiet'];

  test('text to stdout, the exit code by why it ended, the same with and without drafts', async () => {
    const [drafted, serial] = await Promise.all([
      end(tf('run', model, 'hello', ...flags)),
      end(tf('run', model, 'hello', ...flags, '--no-draft')),
    ]);
    expect([0, 6]).toContain(drafted.code);
    expect(drafted.err).toBe('');
    expect(serial).toEqual(drafted);
  });

  test('the prompt comes from stdin too; --json is one document', async () => {
    const [piped, argument] = await Promise.all([
      end(tf('run', model, ...flags, '--json'), 'hello\n'),
      end(tf('run', model, 'hello', ...flags, '--json'), ''),
    ]);
    const [one, other] = [piped, argument].map(({ out }) => JSON.parse(out));
    expect(one.tensorfold.token_sha).toBe(other.tensorfold.token_sha);
    expect(one).toMatchObject({ schema_version: 1, object: 'chat.completion' });
  });

  test('a limit that does not fit exits 7', async () => {
    const { code, err } = await end(tf('run', model, 'hello', '--max-tokens', '100000', '--quiet'));
    expect(code).toBe(7);
    expect(err).toContain('the window is 512 tokens');
  });
});

test('models show prints one document', async () => {
  const { code, out } = await end(tf('models', 'show', model, '--json'));
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ family: 'qwen3', trained_window: 512, tokenizer: true, chat_template: true });
});

test('models show and --dry-run reckon with the type that keys and values are kept as', async () => {
  const commands = [
    ['models', 'show', model, '--json'],
    ['models', 'show', model, '--json', '--kv-dtype', 'auto'],
    ['models', 'show', model, '--json', '--kv-dtype', 'q8'],
    ['serve', model, '--dry-run', '--json', '--kv-dtype', 'q8'],
  ];
  const replies = await Promise.all(commands.map((command) => end(tf(...command))));
  const [own, auto, shown, served] = replies.map(({ out }) => JSON.parse(out).kv_bytes_per_token as number);
  expect(auto).toBe(own);
  expect(shown).toBeLessThan(own!);
  expect(served).toBe(shown);
  const { code, err } = await end(tf('models', 'show', model, '--kv-dtype', 'q3'));
  expect(code).toBe(2);
  expect(err).toContain('auto, f32, f16, q8');
});
