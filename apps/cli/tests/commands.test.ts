import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Health } from '@tensorfold/protocol/types';
import { buildApp, serveEngine } from '@tensorfold/server';
import { ScriptedEngine } from '@tensorfold/server/testing';
import { ratesBetween } from '../src/commands/health.ts';
import { serverUrl } from '../src/server-url.ts';
import { promptText } from '../src/commands/run.ts';
import { bytesText, usesColor } from '../src/output.ts';
import { runProgram } from '../src/program.ts';

let out: string;
let err: string;

beforeEach(() => {
  out = '';
  err = '';
  vi.stubEnv('NO_COLOR', '1');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((err += String(text)), true));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

async function scriptedUrl(): Promise<string> {
  const engine = new ScriptedEngine({ play: () => ({ rounds: [['a', 'b']] }) });
  const app = buildApp({ model: serveEngine(engine, 'scripted'), config: { log: 'silent' } });
  await app.http.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.drain());
  return `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
}

describe('a usage error exits 2 and names the flag', () => {
  test.each([
    [['serve', 'm', 'n'], /too many arguments/],
    [['serve', 'm', '--port', 'abc'], /--port.*between 0 and 65535/],
    [['serve', 'm', '--temperature', '-1'], /--temperature.*at least 0/],
    [['serve', 'm', '--top-p', '1.4'], /--top-p.*between 0 and 1/],
    [['serve', 'm', '--seed', '1.5'], /--seed.*whole number/],
    [['serve', 'm', '--parallel', '0'], /--parallel/],
    [['serve', 'm', '--reasoning-effort', 'enormous'], /--reasoning-effort.*none, minimal/],
    [['serve', 'm', '--wizard'], /--wizard/],
    [['serv'], /Did you mean serve/],
    [['health', '--url', 'http://'], /--url/],
  ])('tf %j', async (args, message) => {
    expect(await runProgram(args)).toBe(2);
    expect(err.replace(/\n/g, ' ')).toMatch(message);
    expect(out).toBe('');
  });
});

test('help and version exit 0', async () => {
  expect(await runProgram(['--help'])).toBe(0);
  expect(out).toContain('Exit codes: 0 done');
  expect(await runProgram(['--version'])).toBe(0);
  expect(await runProgram(['serve', '--help'])).toBe(0);
});

test('a model that is not there exits 4', async () => {
  for (const command of [
    ['serve', 'nothing.gguf'],
    ['models', 'show', 'nothing.gguf'],
    ['run', 'nothing.gguf', 'hi'],
  ]) {
    expect(await runProgram(command)).toBe(4);
    expect(err).toContain('nothing.gguf: no such file or folder');
  }
});

describe('tf health', () => {
  test('prints the counters as a table or one JSON document', async () => {
    const url = await scriptedUrl();
    expect(await runProgram(['health', '--url', url])).toBe(0);
    expect(out).toMatch(/status +ok\nmodel +scripted\n/);
    out = '';
    expect(await runProgram(['health', '--url', `${url}/v1/`, '--json'])).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ schema_version: 1, status: 'ok', context_length: 4096 });
  });

  test('a server that is not there exits 3', async () => {
    expect(await runProgram(['health', '--url', 'http://127.0.0.1:1'])).toBe(3);
    expect(err).toContain('cannot reach http://127.0.0.1:1');
  });

  test('takes a URL with or without scheme and /v1', () => {
    expect(serverUrl('127.0.0.1:8080')).toBe('http://127.0.0.1:8080');
    expect(serverUrl('http://host/v1')).toBe('http://host');
    expect(serverUrl('https://host/base/v1/')).toBe('https://host/base');
  });

  test('rates are differences of two samples', () => {
    const sample = (n: number) =>
      ({
        completion_tokens_total: 100 * n,
        prompt_tokens_total: 50 * n,
        cached_tokens_total: 20 * n,
        drafted_total: 10 * n,
        accepted_total: 4 * n,
        requests_running: 1,
        requests_waiting: 0,
      }) as unknown as Health;
    expect(ratesBetween(sample(1), sample(2), 2)).toEqual({
      decode_tokens_per_second: 50,
      prefill_tokens_per_second: 15,
      running: 1,
      waiting: 0,
      cached_share: 0.4,
      accepted_share: 0.4,
    });
    expect(ratesBetween(sample(1), sample(1), 1)).toMatchObject({ cached_share: null, accepted_share: null });
  });
});

test('a prompt is the argument and what came in', () => {
  expect(promptText('Summarise:', 'a\nb\n')).toBe('Summarise:\n\na\nb');
  expect(promptText(undefined, 'a\n')).toBe('a');
  expect(promptText('a', null)).toBe('a');
  expect(() => promptText(undefined, null)).toThrow('no prompt');
});

test('sizes are told in binary units', () => {
  expect([0, 1023, 1024, 700 * 2 ** 20, 1.5 * 2 ** 30].map(bytesText)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '700 MiB',
    '1.5 GiB',
  ]);
});

test('colour is for terminals, and NO_COLOR has the last word', () => {
  const terminal = { isTTY: true } as NodeJS.WriteStream;
  const file = { isTTY: false } as NodeJS.WriteStream;
  expect(usesColor(terminal, {})).toBe(true);
  expect(usesColor(terminal, { TERM: 'dumb' })).toBe(false);
  expect(usesColor(terminal, { NO_COLOR: '', FORCE_COLOR: '1' })).toBe(false);
  expect(usesColor(file, {})).toBe(false);
  expect(usesColor(file, { FORCE_COLOR: '1' })).toBe(true);
});
