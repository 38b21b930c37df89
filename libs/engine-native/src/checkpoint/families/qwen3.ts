// Qwen3 dense (models sheet qwen3): Llama's layer with norms on each query and key head.

import type { Fields } from '../fields.ts';
import type { RopeSpec } from '../model-spec.ts';
import { ropeFromConfig, ropeFromGguf } from '../rope.ts';
import {
  checkActivation,
  commonLayerTensors,
  freqFactorsName,
  headNormTensors,
  sizesFromConfig,
  sizesFromGguf,
  windowsByLayerType,
  type Family,
  type ModelNumbers,
  type Sizes,
} from './family.ts';

export const qwen3: Family = {
  name: 'qwen3',
  architecture: 'qwen3',
  modelTypes: ['qwen3'],
  tiedByDefault: false,
  fromGguf: (fields, hasFreqFactors) => {
    const sizes = sizesFromGguf(fields);
    const theta = fields.positive('rope.freq_base', 1_000_000);
    const rope = ropeFromGguf(fields, sizes.headDim, theta, hasFreqFactors ? freqFactorsName : null);
    return numbers(sizes, fields.positive('attention.layer_norm_rms_epsilon', 1e-6), rope, null);
  },
  fromConfig: (config) => {
    const sizes = sizesFromConfig(config, { headDim: 128, contextTokens: 32_768 });
    checkActivation(config, ['hidden_act'], 'silu');
    const rope = ropeFromConfig(config, sizes, 1_000_000);
    return numbers(sizes, config.positive('rms_norm_eps', 1e-6), rope, windowsFromConfig(config, sizes.numLayers));
  },
  layerTensors: (spec) => [...commonLayerTensors(spec, 'post_attention_layernorm'), ...headNormTensors(spec)],
};

/** Published models see all. Older files name no layer types: there, layers from `max_window_layers` on slide. */
function windowsFromConfig(config: Fields, numLayers: number): number[] {
  const window = config.flag('use_sliding_window', false) ? config.count('sliding_window', 4096) : 0;
  const byType = windowsByLayerType(config, numLayers, window);
  if (byType !== null) return byType;
  const first = config.whole('max_window_layers', 28);
  return Array.from({ length: numLayers }, (_, layer) => (layer >= first ? window : 0));
}

function numbers(sizes: Sizes, normEps: number, rope: RopeSpec, windows: readonly number[] | null): ModelNumbers {
  return {
    family: 'qwen3',
    ...sizes,
    normEps,
    normWeightOffset: 0,
    activation: 'silu',
    attentionScale: sizes.headDim ** -0.5,
    attentionSoftcap: 0,
    finalSoftcap: 0,
    embeddingScale: 1,
    ropePairs: 'half-split',
    ropes: [rope],
    layers: Array.from({ length: sizes.numLayers }, (_, layer) => ({ rope: 0, window: windows?.[layer] ?? 0 })),
  };
}
