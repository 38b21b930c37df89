// Rule 2: NaN is an error, not a token. It must reach the check from wherever it arises: roundings and maxima lose it.

import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addon } from '../src/binding.ts';
import { type LaneRows, openModel, runRound, tinySpec } from './rounds.ts';

test.each([
  { family: 'llama', type: 'F32' },
  { family: 'qwen3', type: 'Q8_0' },
  { family: 'gemma3', type: 'Q4_0' },
  { family: 'llama', type: 'Q6_K' },
] as const)('NaN anywhere in the weights is an error, not a token ($family $type)', (options) => {
  const round: LaneRows[] = [{ pages: [0], position: 0, tokens: [1, 2] }];
  const sound = openModel(tinySpec(options));
  expect(() => runRound(sound, round)).not.toThrow();
  sound.close();
  const norms = ['output_norm', 'blk.1.attn_norm', 'blk.0.ffn_norm', 'blk.0.attn_q_norm', 'blk.1.attn_k_norm'];
  for (const name of norms.map((norm) => `${norm}.weight`)) {
    const spec = tinySpec(options);
    const tensor = spec.tensors[name];
    if (tensor === undefined) continue; // llama norms no heads
    const file = openSync(spec.files[tensor.file]!, 'r+');
    writeSync(file, new Uint8Array(Float32Array.of(NaN).buffer), 0, 4, tensor.offset);
    closeSync(file);
    for (const kernel of addon().kernels) {
      const model = openModel(spec, kernel);
      expect(() => runRound(model, round), `${name}, ${kernel}`).toThrow('NaN');
      model.close();
    }
  }
});
