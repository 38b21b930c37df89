// Tiny random checkpoints, the same for the same options on every machine: what tests run the engine on.

import { writeFileSync } from 'node:fs';
import { tensorTypeId, tensorTypes } from '../../libs/engine-native/src/checkpoint/tensor-types.ts';
import { ggufBytes, type GgufInput, type GgufTensorInput } from './gguf-writer.ts';
import { floatTensor, randomTensor } from './random-blocks.ts';
import { Random } from './random.ts';
import { tinyChatTemplate, tinyTokenizer } from './tiny-tokenizer.ts';

export interface TinyModelOptions {
  readonly family?: 'llama' | 'qwen3' | 'gemma3';
  /** Type of all matrices: F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K to Q6_K, IQ4_NL, MXFP4. */
  readonly type?: string;
  /** Type of the embedding and the head; default `type`. */
  readonly embeddingType?: string;
  readonly seed?: number;
  readonly numLayers?: number;
  readonly hiddenSize?: number;
  readonly ffnSize?: number;
  readonly numHeads?: number;
  readonly numKvHeads?: number;
  readonly headDim?: number;
  readonly vocabSize?: number;
  readonly contextTokens?: number;
  /** gemma3: tokens that sliding layers see. */
  readonly window?: number;
  /** The head is the embedding. Default false: with it, random weights mostly repeat the last token. */
  readonly tied?: boolean;
  /** Biases on query, key, value and output. */
  readonly biases?: boolean;
  /** One `attn_qkv` in place of three. */
  readonly fusedQkv?: boolean;
  readonly addBos?: boolean;
  readonly chatTemplate?: string;
  /** Added to or put over the metadata, e.g. `llama.rope.scaling.type`. */
  readonly metadata?: Readonly<Record<string, GgufInput>>;
}

type Sizes = Required<Omit<TinyModelOptions, 'metadata'>>;

/** Writes a GGUF file. Milliseconds for the default sizes. */
export function writeTinyModel(path: string, options: TinyModelOptions = {}): void {
  writeFileSync(path, tinyModelBytes(options));
}

/** The file as bytes. Throws an Error where the sizes do not fit the type's blocks. */
export function tinyModelBytes(options: TinyModelOptions = {}): Buffer {
  const sizes = withDefaults(options);
  const metadata = { ...architecture(sizes), ...tinyTokenizer(sizes.vocabSize, sizes), ...options.metadata };
  return ggufBytes(metadata, tensors(sizes));
}

function withDefaults(options: TinyModelOptions): Sizes {
  const type = options.type ?? 'F32';
  // K-quants have blocks of 256 values in a row.
  const isWide = (tensorTypes.get(tensorTypeId(type))?.valuesPerBlock ?? 1) > 64;
  const family = options.family ?? 'llama';
  return {
    family,
    type,
    embeddingType: options.embeddingType ?? type,
    seed: options.seed ?? 1,
    numLayers: options.numLayers ?? (family === 'gemma3' ? 6 : 2),
    hiddenSize: options.hiddenSize ?? (isWide ? 256 : 64),
    ffnSize: options.ffnSize ?? (isWide ? 512 : 160),
    numHeads: options.numHeads ?? 4,
    numKvHeads: options.numKvHeads ?? 2,
    headDim: options.headDim ?? (isWide ? 64 : 16),
    vocabSize: options.vocabSize ?? 320,
    contextTokens: options.contextTokens ?? 4096,
    window: options.window ?? 16,
    tied: options.tied ?? false,
    biases: options.biases ?? false,
    fusedQkv: options.fusedQkv ?? false,
    addBos: options.addBos ?? false,
    chatTemplate: options.chatTemplate ?? tinyChatTemplate,
  };
}

function architecture(sizes: Sizes): Record<string, GgufInput> {
  const { family } = sizes;
  const u32 = (value: number): GgufInput => ({ type: 'u32', value });
  const f32 = (value: number): GgufInput => ({ type: 'f32', value });
  return {
    'general.architecture': { type: 'string', value: family },
    'general.name': { type: 'string', value: `tiny ${family} ${sizes.type}` },
    [`${family}.block_count`]: u32(sizes.numLayers),
    [`${family}.context_length`]: u32(sizes.contextTokens),
    [`${family}.embedding_length`]: u32(sizes.hiddenSize),
    [`${family}.feed_forward_length`]: u32(sizes.ffnSize),
    [`${family}.attention.head_count`]: u32(sizes.numHeads),
    [`${family}.attention.head_count_kv`]: u32(sizes.numKvHeads),
    [`${family}.attention.key_length`]: u32(sizes.headDim),
    [`${family}.attention.value_length`]: u32(sizes.headDim),
    [`${family}.attention.layer_norm_rms_epsilon`]: f32(1e-5),
    [`${family}.rope.freq_base`]: f32(family === 'llama' ? 10_000 : 1_000_000),
    [`${family}.vocab_size`]: u32(sizes.vocabSize),
    ...(family === 'gemma3' ? { 'gemma3.attention.sliding_window': u32(sizes.window) } : {}),
  };
}

function tensors(sizes: Sizes): GgufTensorInput[] {
  const { family, hiddenSize, ffnSize, vocabSize } = sizes;
  const qRows = sizes.numHeads * sizes.headDim;
  const kvRows = sizes.numKvHeads * sizes.headDim;
  const out: GgufTensorInput[] = [];
  const matrix = (name: string, rows: number, columns: number, type = sizes.type, gain = 1): void => {
    const { valuesPerBlock } = tensorTypes.get(tensorTypeId(type))!;
    if (columns % valuesPerBlock !== 0) {
      throw new Error(`${name}: ${type} needs rows of a multiple of ${valuesPerBlock} values, got ${columns}`);
    }
    // Columns' root: a row's product with a normalised vector then spreads by the gain.
    const data = randomTensor(type, rows * columns, gain / Math.sqrt(columns), new Random(sizes.seed, name));
    out.push({ name, shape: [rows, columns], type: tensorTypeId(type), data });
  };
  const vector = (name: string, length: number, mean: number): void => {
    const random = new Random(sizes.seed, name);
    const values = Array.from({ length }, () => mean + 0.1 * random.gaussian());
    out.push({ name, shape: [length], type: tensorTypeId('F32'), data: floatTensor('F32', values) });
  };
  // Gemma scales the embedding by the root of its width; the layers should still have a say.
  matrix('token_embd.weight', vocabSize, hiddenSize, sizes.embeddingType, family === 'gemma3' ? 0.5 : 2);
  for (let layer = 0; layer < sizes.numLayers; layer += 1) {
    const block = `blk.${layer}.`;
    const linear = (name: string, rows: number, columns: number): void => {
      matrix(`${block}${name}.weight`, rows, columns);
      if (sizes.biases) vector(`${block}${name}.bias`, rows, 0);
    };
    vector(`${block}attn_norm.weight`, hiddenSize, 1);
    if (sizes.fusedQkv) {
      linear('attn_qkv', qRows + 2 * kvRows, hiddenSize);
    } else {
      linear('attn_q', qRows, hiddenSize);
      linear('attn_k', kvRows, hiddenSize);
      linear('attn_v', kvRows, hiddenSize);
    }
    linear('attn_output', hiddenSize, qRows);
    if (family !== 'llama') {
      vector(`${block}attn_q_norm.weight`, sizes.headDim, 1);
      vector(`${block}attn_k_norm.weight`, sizes.headDim, 1);
    }
    if (family === 'gemma3') vector(`${block}post_attention_norm.weight`, hiddenSize, 1);
    vector(`${block}ffn_norm.weight`, hiddenSize, 1);
    matrix(`${block}ffn_gate.weight`, ffnSize, hiddenSize);
    matrix(`${block}ffn_up.weight`, ffnSize, hiddenSize);
    matrix(`${block}ffn_down.weight`, hiddenSize, ffnSize);
    if (family === 'gemma3') vector(`${block}post_ffw_norm.weight`, hiddenSize, 1);
  }
  vector('output_norm.weight', hiddenSize, 1);
  if (!sizes.tied) matrix('output.weight', vocabSize, hiddenSize, sizes.embeddingType, 2);
  return out;
}
