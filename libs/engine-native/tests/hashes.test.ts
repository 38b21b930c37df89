// One golden hash a model shape: SHA-256 over the logits of every row of a fixed prompt. They are the same on every
// machine and kernel set; a change here is a change of the numeric version (docs/exactness.md).

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { TinyModelOptions } from '../../../tools/tiny-model/tiny-model.ts';
import { addon } from '../src/binding.ts';
import type { KvDtype } from '../src/kv-dtype.ts';
import { openModel, randomTokens, runRound, tinySpec } from './rounds.ts';
import { Dice } from './traffic.ts';

const yarn: TinyModelOptions['metadata'] = {
  'qwen3.rope.scaling.type': { type: 'string', value: 'yarn' },
  'qwen3.rope.scaling.factor': { type: 'f32', value: 4 },
  'qwen3.rope.scaling.original_context_length': { type: 'u32', value: 64 },
};

const shapes: readonly (readonly [TinyModelOptions, string, KvDtype?])[] = [
  [{ family: 'llama', type: 'F32' }, 'b5c356f43892939f'],
  [{ family: 'llama', type: 'BF16', biases: true }, '45c0776f3d466eb5'],
  [{ family: 'llama', type: 'Q8_0', numHeads: 6, numKvHeads: 3, headDim: 32 }, '0ba62c563dddde6f'],
  [{ family: 'llama', type: 'Q4_K' }, '152e130c68ac0e4f'],
  [{ family: 'llama', type: 'Q5_0', fusedQkv: true }, '1f42eda57af56d14'],
  [{ family: 'qwen3', type: 'F16' }, 'dfbcaa9077d71ae4'],
  [{ family: 'qwen3', type: 'Q8_0', tied: true }, '1009a3bbcd7f3a1d'],
  [{ family: 'qwen3', type: 'Q4_1', embeddingType: 'Q8_0' }, '67e71f999b8f8019'],
  [{ family: 'qwen3', type: 'Q6_K' }, '52399a6b2ba329d6'],
  [{ family: 'qwen3', type: 'IQ4_NL', metadata: yarn }, '65c8348f9364feb8'],
  [{ family: 'gemma3', type: 'F32' }, '8efb11631f9c7014'],
  [{ family: 'gemma3', type: 'Q4_0' }, '3cfcc256693dfe13'],
  [{ family: 'gemma3', type: 'MXFP4' }, '09c6b36f316b0bbc'],
  [{ family: 'gemma3', type: 'Q3_K', embeddingType: 'Q6_K' }, '307f1980e4d97d23'],
  [{ family: 'llama', type: 'Q4_0' }, '058c8ac3c2adfa05', 'q8'],
  [{ family: 'qwen3', type: 'Q8_0', headDim: 40 }, '2386890d747fafc3', 'q8'],
  [{ family: 'llama', type: 'F16' }, 'b40563566f377302', 'f16'],
];

test.each(shapes.map(([options, golden, kvDtype]) => ({ options, golden, kvDtype })))('$options $kvDtype', (shape) => {
  const { options, golden, kvDtype } = shape;
  const spec = tinySpec({ ...options, seed: 7 });
  const tokens = randomTokens(new Dice(7n), 80, spec);
  for (const kernel of addon().kernels) {
    const model = openModel(spec, kernel, 2, 2, kvDtype);
    const hash = createHash('sha256');
    for (const row of runRound(model, [{ pages: [1, 0], position: 0, tokens }])[0]!) hash.update(row!);
    model.close();
    expect({ kernel, hash: hash.digest('hex').slice(0, 16) }).toEqual({ kernel, hash: golden });
  }
});
