// Damaged checkpoints of every form, the same ones in every run: each loads, or is refused as a checkpoint.

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { safetensorsBytes } from '../../../../tools/tiny-model/safetensors-writer.ts';
import { tinyModelBytes } from '../../../../tools/tiny-model/tiny-model.ts';
import { CheckpointError } from './checkpoint-error.ts';
import { loadCheckpoint } from './checkpoint.ts';

const folder = mkdtempSync(join(tmpdir(), 'tf-damaged-'));
afterAll(() => rmSync(folder, { recursive: true }));

const numRuns = 300;
/** Buffers a reader may hold besides the bytes of the files. */
const slackBytes = 8 * 2 ** 20;

/** Loads, or throws CheckpointError in plain words, and takes no more memory than the files have bytes. */
function expectLoadedOrRefused(path: string, fileBytes: number): void {
  const before = process.memoryUsage().arrayBuffers;
  try {
    const { spec } = loadCheckpoint(path);
    const sizes = spec.files.map((file) => statSync(file).size);
    for (const { file, offset, byteLength } of Object.values(spec.tensors)) {
      expect(offset + byteLength).toBeLessThanOrEqual(sizes[file]!);
    }
  } catch (error) {
    expect(error).toBeInstanceOf(CheckpointError);
    expect((error as Error).message).not.toMatch(/Cannot read|is not a function|is not iterable|Invalid array/);
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(fileBytes + slackBytes);
}

/** Lengths, counts and offsets that no file means. */
const odd64 = [0n, 1n, 0xffffn, 2n ** 31n, 2n ** 32n, 2n ** 40n, 2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];

type Damage = (bytes: Buffer) => Buffer;

/** One damage within the first `reach` bytes: a byte, a length, a cut, a loss or a piece that stands there twice. */
function damages(reach: number): fc.Arbitrary<Damage> {
  const at = fc.nat(reach - 1);
  return fc.oneof(
    fc.tuple(at, fc.nat(255)).map(([i, value]) =>
      edited((bytes) => {
        if (i < bytes.length) bytes[i] = value;
      }),
    ),
    fc.tuple(at, fc.constantFrom(...odd64)).map(([i, value]) =>
      edited((bytes) => {
        if (i + 8 <= bytes.length) bytes.writeBigUInt64LE(value, i);
      }),
    ),
    at.map(
      (i): Damage =>
        (bytes) =>
          bytes.subarray(0, i),
    ),
    fc.tuple(at, fc.integer({ min: 1, max: 16 })).map(
      ([i, size]): Damage =>
        (bytes) =>
          Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + size)]),
    ),
    fc.tuple(at, at, fc.integer({ min: 1, max: 64 })).map(
      ([i, from, size]): Damage =>
        (bytes) =>
          Buffer.concat([bytes.subarray(0, i), bytes.subarray(from, from + size), bytes.subarray(i)]),
    ),
  );
}

function edited(edit: (bytes: Buffer) => void): Damage {
  return (bytes) => {
    const copy = Buffer.from(bytes);
    edit(copy);
    return copy;
  };
}

/** Another value in the place of the n-th of a JSON text. */
const replacedValues: fc.Arbitrary<Damage> = fc
  .tuple(fc.nat(500), fc.constantFrom('null', '-1', '1e999', '1e308', '[]', '{}', '""', 'true', '99999999999999999999'))
  .map(([n, value]) => (bytes) => {
    const text = bytes.toString('latin1');
    const values = [...text.matchAll(/(?<=[:[,]\s*)("[^"]*"|-?[\d.e]+|true|false|null)/g)];
    const chosen = values[n % Math.max(values.length, 1)];
    if (chosen === undefined) return bytes;
    return Buffer.from(text.slice(0, chosen.index) + value + text.slice(chosen.index + chosen[0].length), 'latin1');
  });

const damaged = (whole: Buffer, list: readonly Damage[]): Buffer =>
  list.reduce((bytes, damage) => damage(bytes), whole);

test.each(['llama', 'qwen3', 'gemma3'] as const)('a damaged GGUF file of %s loads or is refused', (family) => {
  const whole = tinyModelBytes({ family, type: 'Q8_0', numLayers: 1 });
  const path = join(folder, `${family}.gguf`);
  fc.assert(
    fc.property(fc.array(damages(12_000), { minLength: 1, maxLength: 3 }), (list) => {
      writeFileSync(path, damaged(whole, list));
      expectLoadedOrRefused(path, whole.length);
    }),
    { numRuns, seed: 1 },
  );
});

test('a damaged Hugging Face folder loads or is refused', () => {
  const files = tinyFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const fileBytes = Object.values(files).reduce((sum, bytes) => sum + bytes.length, 0);
  const anyFile = fc.constantFrom(...Object.keys(files));
  const anyDamages = fc.array(fc.oneof(damages(1200), replacedValues), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(anyFile, anyDamages, (name, list) => {
      writeFileSync(join(folder, name), damaged(files[name]!, list));
      expectLoadedOrRefused(folder, fileBytes);
      writeFileSync(join(folder, name), files[name]!);
    }),
    { numRuns, seed: 1 },
  );
});

/** One Llama layer in two shards, with a tokenizer. */
function tinyFolder(): Record<string, Buffer> {
  const config = {
    model_type: 'llama',
    hidden_size: 8,
    intermediate_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    max_position_embeddings: 64,
    rope_scaling: { rope_type: 'yarn', factor: 2, original_max_position_embeddings: 32 },
    eos_token_id: [2],
  };
  const layer = 'model.layers.0.';
  const first = { 'model.embed_tokens.weight': [10, 8], 'model.norm.weight': [8], 'lm_head.weight': [10, 8] };
  const second = {
    [`${layer}input_layernorm.weight`]: [8],
    [`${layer}post_attention_layernorm.weight`]: [8],
    [`${layer}self_attn.q_proj.weight`]: [8, 8],
    [`${layer}self_attn.k_proj.weight`]: [4, 8],
    [`${layer}self_attn.v_proj.weight`]: [4, 8],
    [`${layer}self_attn.o_proj.weight`]: [8, 8],
    [`${layer}mlp.gate_proj.weight`]: [16, 8],
    [`${layer}mlp.up_proj.weight`]: [16, 8],
    [`${layer}mlp.down_proj.weight`]: [8, 16],
  };
  const [one, two] = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
  const names = (shapes: object, file: string): [string, string][] => Object.keys(shapes).map((name) => [name, file]);
  const index = { weight_map: Object.fromEntries([...names(first, one), ...names(second, two)]) };
  const tokenizer = {
    added_tokens: [{ id: 4, content: '<s>', special: true }],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: { a: 0, b: 1, c: 2, ab: 3 }, merges: [['a', 'b']] },
  };
  return {
    'config.json': Buffer.from(JSON.stringify(config)),
    'tokenizer.json': Buffer.from(JSON.stringify(tokenizer)),
    'model.safetensors.index.json': Buffer.from(JSON.stringify(index)),
    [one]: safetensorsBytes(first, 'BF16'),
    [two]: safetensorsBytes(second, 'BF16'),
  };
}

test('the whole folder that is damaged above loads', () => {
  expect(loadCheckpoint(folder).spec.files).toHaveLength(2);
});
