import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BinPeer, batchedArgs, rateOfBatchedBench, rateOfBench } from './bin-peer.ts';

test('the rate of llama-bench is the average of its last test', () => {
  const text = `warning: something\n[\n  {\n    "n_prompt": 512,\n    "avg_ts": 498.25,\n    "samples_ts": [ 498.25 ]\n  }\n]\nbye`;
  expect(rateOfBench(text)).toBe(498.25);
  expect(() => rateOfBench('error: no model')).toThrow('no avg_ts');
});

test('the rate of llama-batched-bench stands in the row of as many lanes', () => {
  const text = `
main: n_kv_max = 512

|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |
|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|
|    16 |     48 |    8 |    512 |    0.301 |   425.12 |    1.811 |   212.01 |    2.112 |   242.42 |
`;
  expect(rateOfBatchedBench(text, 8)).toBe(212.01);
  expect(() => rateOfBatchedBench(text, 4)).toThrow('no row of 4 lanes');
});

test('switches of llama-bench lose their value for llama-batched-bench', () => {
  expect(batchedArgs(['-rtr', '1', '-fa', '1'])).toEqual(['-rtr', '-fa', '1']);
  expect(batchedArgs(['-rtr', '0'])).toEqual([]);
});

test.each(['stdout', 'stderr'])('a table on %s counts', async (stream) => {
  const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
  const program = (name: string, body: string) =>
    writeFileSync(join(folder, name), `#!/usr/bin/env node\n${body}`, { mode: 0o755 });
  program('llama-bench', '');
  program('llama-batched-bench', `process.${stream}.write('| B | S_TG t/s |\\n|---|---|\\n| 8 | 212.01 |\\n');`);
  const peer = new BinPeer({ path: folder, args: [], threads: 1, model: 'model.gguf' });
  const { tokensPerSecond } = await peer.measure({ cell: { name: 'decode-8', kind: 'decode', size: 8 }, seed: 0 });
  expect(tokensPerSecond).toBe(212.01);
  rmSync(folder, { recursive: true });
});
