// From the start of `tf serve` to the first token over HTTP, as a user waits for it.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EngineRow } from './engine.ts';

const program = fileURLToPath(new URL('../../apps/cli/bin/tf.mjs', import.meta.url));

/** Seconds until the server is ready and until the first token, a start each. Throws where the CLI is not built. */
export async function serveStart(path: string, threads: number, reps: number): Promise<EngineRow> {
  if (!existsSync(fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url)))) {
    throw new Error('the CLI is not built: npm run build');
  }
  const values: number[] = [];
  const ready: number[] = [];
  for (let rep = 0; rep < reps; rep += 1) {
    const start = performance.now();
    const seconds = () => (performance.now() - start) / 1000;
    const flags = ['serve', path, '--port', '0', '--threads', String(threads), '--json', '--quiet'];
    const server = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
      ready.push(seconds());
      await firstToken((JSON.parse(line) as { url: string }).url);
      values.push(seconds());
    } finally {
      server.kill('SIGKILL');
    }
  }
  const note = `ready after ${Math.min(...ready).toFixed(2)}..${Math.max(...ready).toFixed(2)} s`;
  return { what: 'tf serve to the first token', unit: 's', values, note };
}

async function firstToken(url: string): Promise<void> {
  const body = JSON.stringify({ prompt: 'The harbour office opens at six.', max_tokens: 4, stream: true });
  const reply = await fetch(`${url}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!reply.ok) throw new Error(`HTTP ${reply.status}: ${await reply.text()}`);
  const reader = reply.body!.getReader();
  for (let text = ''; !text.includes('"text"');) {
    const { value, done } = await reader.read();
    if (done) throw new Error('the reply had no token');
    text += Buffer.from(value).toString();
  }
  await reader.cancel();
}
