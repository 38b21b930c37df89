// The client harness beside the project, where it is there: cases and clients that nobody here wrote, against a scripted
// model that does its part, and a tiny checkpoint that does not.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '@tensorfold/engine-native';
import type { GenerationRequest } from '@tensorfold/protocol';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeTinyModel } from '../../../tools/tiny-model/tiny-model.ts';
import { buildApp, serveEngine } from '../src/index.ts';
import type { Script } from '../src/testing/index.ts';
import { testServer } from './scripted-server.ts';

const given = fileURLToPath(new URL('../../../../shared/clients', import.meta.url));
/** Installed there, it runs there with all its clients; else as a copy, with those of them that this workspace has. */
const isInstalled = existsSync(join(given, 'node_modules'));
const harness = isInstalled ? given : fileURLToPath(new URL('../out/clients', import.meta.url));
const groups = ['wire', 'responses', 'openai6', ...(isInstalled ? ['aisdk'] : [])];
/** Refused in words until it is built. */
const isStructuredOutput = ({ name, why }: Result): boolean =>
  /generateObject|streamObject/.test(name) && why.includes('structured output, which is not built yet');

interface Result {
  readonly name: string;
  readonly status: 'PASS' | 'FAIL' | 'SKIP';
  readonly why: string;
}

async function runHarness(url: string): Promise<Result[]> {
  if (!isInstalled) {
    mkdirSync(harness, { recursive: true });
    for (const file of readdirSync(given).filter((name) => name.endsWith('.mjs'))) {
      cpSync(join(given, file), join(harness, file));
    }
  }
  const folder = temporaryFolder();
  const report = join(folder, 'report.json');
  const args = ['run.mjs', `${url}/v1`, 'model', `--group=${groups.join(',')}`, `--json=${report}`, '--timeout=60'];
  const child = spawn(process.execPath, args, { cwd: harness, stdio: 'ignore' });
  await new Promise((resolve) => child.once('close', resolve));
  return (JSON.parse(readFileSync(report, 'utf8')) as { results: Result[] }).results;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function expectPassed(results: readonly Result[], isExcused: (result: Result) => boolean = () => false): void {
  expect(results.length).toBeGreaterThan(180);
  const failed = results.filter(
    (result) => result.status === 'FAIL' && !isStructuredOutput(result) && !isExcused(result),
  );
  expect(failed.map(({ name, why }) => `${name}: ${why}`)).toEqual([]);
}

/** Calls where it must, thinks where it may, and else says what fits most cases. */
function play(request: GenerationRequest, prompt: string): Script {
  const tokens = (text: string) => text.split(/(<\/?(?:think|tool_call)>)|(?<= )/).filter(Boolean);
  const thought = request.thinking?.startsOpen === true ? 'They want an answer.\n</think>\n\n' : '';
  const name = request.forcedToolCall?.names[0];
  const hasResult = /<\|im_start\|>tool\n/.test(prompt);
  const asksForCall = prompt.includes('<tools>') && /weather/i.test(prompt) && !hasResult;
  if (name !== undefined || asksForCall) {
    const call = `<tool_call>\n<function=${name ?? 'get_weather'}>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>`;
    return { rounds: tokens(`${thought}${call}`).map((token) => [token]) };
  }
  return {
    rounds: tokens(`${thought}Hello there, dear friend of mine. It is good to see you here again today.`).map(
      (token) => [token],
    ),
  };
}

describe.skipIf(!existsSync(given))('the client harness', () => {
  test('passes against a model that does its part, and skips nothing but structured output', async () => {
    const server = testServer({ play, model: { id: 'model' } });
    const results = await runHarness(await server.listen());
    expectPassed(results);
    const skipped = results.filter(({ status, why }) => status === 'SKIP' && !why.includes('not built yet'));
    // Clients that read no reasoning, or refer to stored items.
    expect(skipped.filter(({ name }) => !/reasoning-stream|default-store/.test(name))).toEqual([]);
  }, 300_000);

  test('passes against a tiny checkpoint', async () => {
    const path = join(temporaryFolder(), 'tiny.gguf');
    writeTinyModel(path, { family: 'qwen3', type: 'Q8_0', contextTokens: 4096 });
    const engine = await loadEngine({ model: path, lanes: 4, contextTokens: 4096 });
    const app = buildApp({ model: serveEngine(engine, 'model'), config: { log: 'silent', drainTimeoutMs: 1000 } });
    onTestFinished(async () => {
      await app.drain();
      await engine.close();
    });
    await app.http.listen({ port: 0, host: '127.0.0.1' });
    const results = await runHarness(`http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`);
    // Random weights write on to the limit, at which openai-node's tool loop throws.
    expectPassed(results, ({ why }) => why.includes('LengthFinishReasonError'));
  }, 600_000);
});
