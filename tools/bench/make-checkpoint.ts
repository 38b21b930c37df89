// Checkpoints of real models' shapes with random weights, for measuring speed: what they write is noise.
// node --import tsx --conditions=@tensorfold/source tools/bench/make-checkpoint.ts SHAPE:TYPE [OUT.gguf]
// prints the path; without OUT it is made in the system's temporary folder and kept there.

import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tensorTypeId, tensorTypes } from '../../libs/engine-native/src/checkpoint/tensor-types.ts';
import { ggufHeader, type GgufInput, paddedLength } from '../tiny-model/gguf-writer.ts';
import { floatTensor, randomTensor } from '../tiny-model/random-blocks.ts';
import { Random } from '../tiny-model/random.ts';
import { tinyChatTemplate, tinyTokenizer } from '../tiny-model/tiny-tokenizer.ts';

interface Shape {
  readonly family: 'llama' | 'qwen3';
  readonly numLayers: number;
  readonly hiddenSize: number;
  readonly ffnSize: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  readonly vocabSize: number;
  readonly contextTokens: number;
  readonly ropeBase: number;
  readonly normEps: number;
}

/** From the models' published configurations. All tie the head to the embedding. */
export const shapes: Readonly<Record<string, Shape>> = {
  'qwen3-0.6b': {
    family: 'qwen3',
    numLayers: 28,
    hiddenSize: 1024,
    ffnSize: 3072,
    numHeads: 16,
    numKvHeads: 8,
    headDim: 128,
    vocabSize: 151_936,
    contextTokens: 40_960,
    ropeBase: 1_000_000,
    normEps: 1e-6,
  },
  'smollm2-135m': {
    family: 'llama',
    numLayers: 30,
    hiddenSize: 576,
    ffnSize: 1536,
    numHeads: 9,
    numKvHeads: 3,
    headDim: 64,
    vocabSize: 49_152,
    contextTokens: 8192,
    ropeBase: 100_000,
    normEps: 1e-5,
  },
};

/** Which type a matrix gets, as the usual mixes choose. */
const mixes: Readonly<Record<string, (name: string) => string>> = {
  q4_k_m: (name) => (/token_embd|attn_v|ffn_down/.test(name) ? 'Q6_K' : 'Q4_K'),
  q5_k_m: (name) => (/token_embd|attn_v|ffn_down/.test(name) ? 'Q6_K' : 'Q5_K'),
};

/** Where a row is no multiple of 256, quantizers take these. */
const narrow: Readonly<Record<string, string>> = {
  Q2_K: 'IQ4_NL',
  Q3_K: 'IQ4_NL',
  Q4_K: 'Q5_0',
  Q5_K: 'Q5_1',
  Q6_K: 'Q8_0',
};

interface PlannedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly typeName: string;
  readonly byteLength: number;
}

/** Whether an argument names a checkpoint to make: `qwen3-0.6b:q8_0`. */
export function isRecipe(text: string): boolean {
  return Object.hasOwn(shapes, text.split(':')[0]!) && text.includes(':');
}

/** The path of `recipe` in the temporary folder, made first where it is missing. */
export function syntheticCheckpoint(recipe: string): string {
  const folder = join(tmpdir(), 'tensorfold-bench');
  const path = join(folder, `${recipe.replace(':', '-')}.gguf`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    console.error(`making ${path}`);
    writeCheckpoint(path, recipe);
  }
  return path;
}

/** Throws an Error that names what is known where the recipe is not. */
export function writeCheckpoint(path: string, recipe: string): void {
  const [shapeName = '', typeName = ''] = recipe.split(':');
  const shape = shapes[shapeName];
  if (shape === undefined) throw new Error(`no shape ${shapeName}; known: ${Object.keys(shapes).join(', ')}`);
  const typeOf = mixes[typeName] ?? (() => typeName.toUpperCase());
  const tensors = planTensors(shape, typeOf);
  const metadata = {
    ...architecture(shape, `synthetic ${recipe}`),
    ...tinyTokenizer(shape.vocabSize, { addBos: false, chatTemplate: tinyChatTemplate }),
  };
  // A file that is there is whole.
  const part = `${path}.part`;
  const file = openSync(part, 'w');
  writeWhole(
    file,
    ggufHeader(
      metadata,
      tensors.map((tensor) => ({ ...tensor, type: tensorTypeId(tensor.typeName) })),
    ),
  );
  for (const tensor of tensors) writeTensor(file, tensor);
  closeSync(file);
  renameSync(part, path);
}

function architecture(shape: Shape, name: string): Record<string, GgufInput> {
  const { family } = shape;
  const u32 = (value: number): GgufInput => ({ type: 'u32', value });
  const f32 = (value: number): GgufInput => ({ type: 'f32', value });
  return {
    'general.architecture': { type: 'string', value: family },
    'general.name': { type: 'string', value: name },
    [`${family}.block_count`]: u32(shape.numLayers),
    [`${family}.context_length`]: u32(shape.contextTokens),
    [`${family}.embedding_length`]: u32(shape.hiddenSize),
    [`${family}.feed_forward_length`]: u32(shape.ffnSize),
    [`${family}.attention.head_count`]: u32(shape.numHeads),
    [`${family}.attention.head_count_kv`]: u32(shape.numKvHeads),
    [`${family}.attention.key_length`]: u32(shape.headDim),
    [`${family}.attention.value_length`]: u32(shape.headDim),
    [`${family}.attention.layer_norm_rms_epsilon`]: f32(shape.normEps),
    [`${family}.rope.freq_base`]: f32(shape.ropeBase),
    [`${family}.rope.dimension_count`]: u32(shape.headDim),
    [`${family}.vocab_size`]: u32(shape.vocabSize),
  };
}

function planTensors(shape: Shape, typeOf: (name: string) => string): PlannedTensor[] {
  const { hiddenSize, ffnSize, headDim } = shape;
  const [qRows, kvRows] = [shape.numHeads * headDim, shape.numKvHeads * headDim];
  const tensor = (name: string, sizes: readonly number[], typeName: string): PlannedTensor => {
    const type = tensorTypes.get(tensorTypeId(typeName))!;
    const numValues = sizes.reduce((product, size) => product * size, 1);
    const byteLength = (numValues / type.valuesPerBlock) * type.bytesPerBlock;
    return { name, shape: sizes, typeName, byteLength };
  };
  const vector = (name: string, size: number): PlannedTensor => tensor(name, [size], 'F32');
  const matrix = (name: string, rows: number, columns: number): PlannedTensor => {
    const wanted = typeOf(name);
    const isNarrow = columns % tensorTypes.get(tensorTypeId(wanted))!.valuesPerBlock !== 0;
    return tensor(name, [rows, columns], isNarrow ? narrow[wanted]! : wanted);
  };
  const layers = Array.from({ length: shape.numLayers }, (_, layer) => {
    const block = `blk.${layer}`;
    const headNorms =
      shape.family === 'qwen3'
        ? [vector(`${block}.attn_q_norm.weight`, headDim), vector(`${block}.attn_k_norm.weight`, headDim)]
        : [];
    return [
      vector(`${block}.attn_norm.weight`, hiddenSize),
      matrix(`${block}.attn_q.weight`, qRows, hiddenSize),
      matrix(`${block}.attn_k.weight`, kvRows, hiddenSize),
      matrix(`${block}.attn_v.weight`, kvRows, hiddenSize),
      matrix(`${block}.attn_output.weight`, hiddenSize, qRows),
      ...headNorms,
      vector(`${block}.ffn_norm.weight`, hiddenSize),
      matrix(`${block}.ffn_gate.weight`, ffnSize, hiddenSize),
      matrix(`${block}.ffn_up.weight`, ffnSize, hiddenSize),
      matrix(`${block}.ffn_down.weight`, hiddenSize, ffnSize),
    ];
  });
  return [
    matrix('token_embd.weight', shape.vocabSize, hiddenSize),
    ...layers.flat(),
    vector('output_norm.weight', hiddenSize),
  ];
}

/** Values of a matrix come from this many random ones, begun at another place for each tensor: speed does not care. */
const poolValues = 2 ** 20;
const pools = new Map<string, Uint8Array>();

function writeTensor(file: number, { name, shape, typeName, byteLength }: PlannedTensor): void {
  const columns = shape.at(-1)!;
  if (shape.length === 1) {
    const random = new Random(1, name);
    const values = Array.from({ length: columns }, () => 1 + 0.1 * random.gaussian());
    writeWhole(file, floatTensor(typeName, values));
  } else {
    const key = `${typeName} ${columns}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = randomTensor(typeName, poolValues, 1 / Math.sqrt(columns), new Random(1, key));
      pools.set(key, pool);
    }
    const { bytesPerBlock } = tensorTypes.get(tensorTypeId(typeName))!;
    const start = (new Random(2, name).bits() % (pool.length / bytesPerBlock)) * bytesPerBlock;
    for (let written = 0; written < byteLength;) {
      const from = (start + written) % pool.length;
      const piece = pool.subarray(from, Math.min(pool.length, from + byteLength - written));
      writeWhole(file, piece);
      written += piece.length;
    }
  }
  writeWhole(file, new Uint8Array(paddedLength(byteLength) - byteLength));
}

function writeWhole(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [recipe = '', out] = process.argv.slice(2);
  if (out !== undefined) writeCheckpoint(out, recipe);
  console.log(out ?? syntheticCheckpoint(recipe));
}
