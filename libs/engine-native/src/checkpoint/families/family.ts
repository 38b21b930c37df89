// What a family says of its checkpoints. A new family is a file here and a line in index.ts.

import type { Fields } from '../fields.ts';
import type { ModelSpec } from '../model-spec.ts';

/** All of a ModelSpec but what the files and the vocabulary say. */
export type ModelNumbers = Omit<ModelSpec, 'name' | 'files' | 'tensors' | 'vocabSize' | 'endTokenIds'>;

/** Where a vector or matrix of the graph comes from. */
export interface TensorRule {
  /** GGUF name; in layers after `blk.N.`. */
  readonly name: string;
  /** Hugging Face name after the prefix; in layers after `layers.N.`. */
  readonly hfName: string;
  readonly shape: readonly number[];
  readonly optional?: boolean;
}

export interface Family {
  readonly name: string;
  /** `general.architecture` of its GGUF files. */
  readonly architecture: string;
  /** `model_type` of its config.json files; a nested text config's counts. */
  readonly modelTypes: readonly string[];
  /** `fields` looks under the architecture. `hasFreqFactors`: the file has `rope_freqs.weight`. */
  readonly fromGguf: (fields: Fields, hasFreqFactors: boolean) => ModelNumbers;
  readonly fromConfig: (config: Fields) => ModelNumbers;
  /** Head shared with the embedding where config.json does not say. */
  readonly tiedByDefault: boolean;
  /** Tensors of every layer. */
  readonly layerTensors: (numbers: ModelNumbers) => readonly TensorRule[];
}

export const freqFactorsName = 'rope_freqs.weight';

/** What all three families have in a layer: attention, a gated MLP, and the norms before them. */
export function commonLayerTensors(numbers: ModelNumbers, ffnNormHfName: string): TensorRule[] {
  const { hiddenSize, ffnSize, numHeads, numKvHeads, headDim } = numbers;
  const qRows = numHeads * headDim;
  const kvRows = numKvHeads * headDim;
  const linear = (name: string, hfName: string, rows: number, columns: number): TensorRule[] => [
    { name: `${name}.weight`, hfName: `${hfName}.weight`, shape: [rows, columns] },
    { name: `${name}.bias`, hfName: `${hfName}.bias`, shape: [rows], optional: true },
  ];
  return [
    { name: 'attn_norm.weight', hfName: 'input_layernorm.weight', shape: [hiddenSize] },
    ...linear('attn_q', 'self_attn.q_proj', qRows, hiddenSize),
    ...linear('attn_k', 'self_attn.k_proj', kvRows, hiddenSize),
    ...linear('attn_v', 'self_attn.v_proj', kvRows, hiddenSize),
    ...linear('attn_output', 'self_attn.o_proj', hiddenSize, qRows),
    { name: 'ffn_norm.weight', hfName: `${ffnNormHfName}.weight`, shape: [hiddenSize] },
    ...linear('ffn_gate', 'mlp.gate_proj', ffnSize, hiddenSize),
    ...linear('ffn_up', 'mlp.up_proj', ffnSize, hiddenSize),
    ...linear('ffn_down', 'mlp.down_proj', hiddenSize, ffnSize),
  ];
}

/** Norms of each query and key head. */
export function headNormTensors(numbers: ModelNumbers): TensorRule[] {
  return [
    { name: 'attn_q_norm.weight', hfName: 'self_attn.q_norm.weight', shape: [numbers.headDim] },
    { name: 'attn_k_norm.weight', hfName: 'self_attn.k_norm.weight', shape: [numbers.headDim] },
  ];
}

export type Sizes = Pick<
  ModelNumbers,
  'hiddenSize' | 'ffnSize' | 'numLayers' | 'numHeads' | 'numKvHeads' | 'headDim' | 'contextTokens'
>;

/** The shape of the model from GGUF metadata. */
export function sizesFromGguf(fields: Fields): Sizes {
  const hiddenSize = fields.count('embedding_length');
  const numHeads = fields.evenCount('attention.head_count');
  const headDim = fields.count('attention.key_length', Math.floor(hiddenSize / numHeads));
  const valueDim = fields.count('attention.value_length', headDim);
  if (valueDim !== headDim)
    throw fields.error('attention.value_length', valueDim, `equal to attention.key_length ${headDim}`);
  if (fields.whole('expert_count', 0) > 0) {
    throw fields.error('expert_count', fields.raw('expert_count'), '0: mixtures of experts are not supported');
  }
  return checkedSizes(fields, 'attention.head_count_kv', {
    hiddenSize,
    ffnSize: fields.evenCount('feed_forward_length'),
    numLayers: fields.count('block_count'),
    numHeads,
    numKvHeads: fields.evenCount('attention.head_count_kv', numHeads),
    headDim,
    contextTokens: fields.count('context_length'),
  });
}

/** The shape from config.json. `defaults` are the ones of the family's configuration class. */
export function sizesFromConfig(config: Fields, defaults: Partial<Sizes>): Sizes {
  const hiddenSize = config.count('hidden_size', defaults.hiddenSize);
  const numHeads = config.count('num_attention_heads', defaults.numHeads);
  return checkedSizes(config, 'num_key_value_heads', {
    hiddenSize,
    ffnSize: config.count('intermediate_size', defaults.ffnSize),
    numLayers: config.count('num_hidden_layers', defaults.numLayers),
    numHeads,
    numKvHeads: config.count('num_key_value_heads', defaults.numKvHeads ?? numHeads),
    headDim: config.count('head_dim', defaults.headDim ?? Math.floor(hiddenSize / numHeads)),
    contextTokens: config.count('max_position_embeddings', defaults.contextTokens),
  });
}

function checkedSizes(fields: Fields, kvField: string, sizes: Sizes): Sizes {
  if (sizes.numHeads % sizes.numKvHeads !== 0) {
    throw fields.error(kvField, sizes.numKvHeads, `a divisor of the ${sizes.numHeads} query heads`);
  }
  return sizes;
}

/** Llama's numbers, and those of what differs from it by tensors only. `windows` one a layer; null: every layer sees all. */
export function plainNumbers(
  family: string,
  sizes: Sizes,
  normEps: number,
  rope: ModelNumbers['ropes'][number],
  ropePairs: ModelNumbers['ropePairs'],
  windows: readonly number[] | null,
): ModelNumbers {
  return {
    family,
    ...sizes,
    normEps,
    normWeightOffset: 0,
    activation: 'silu',
    attentionScale: sizes.headDim ** -0.5,
    attentionSoftcap: 0,
    finalSoftcap: 0,
    embeddingScale: 1,
    ropePairs,
    ropes: [rope],
    layers: Array.from({ length: sizes.numLayers }, (_, layer) => ({ rope: 0, window: windows?.[layer] ?? 0 })),
  };
}

/** Throws where config.json wants another activation than the graph has. */
export function checkActivation(config: Fields, names: readonly string[], expected: string): void {
  for (const name of names) {
    const value = config.raw(name);
    if (value !== undefined && value !== expected) throw config.error(name, value, expected);
  }
}

/** The window of each layer by `layer_types`; 0 where a layer sees all. */
export function windowsByLayerType(config: Fields, numLayers: number, window: number): number[] | null {
  const types = config.raw('layer_types');
  if (types === undefined) return null;
  if (!Array.isArray(types) || types.length !== numLayers) {
    throw config.error('layer_types', types, `a list of ${numLayers} layer types`);
  }
  return types.map((type) => {
    if (type === 'full_attention') return 0;
    if (type === 'sliding_attention') return window;
    throw config.error('layer_types', type, 'made of full_attention and sliding_attention');
  });
}
