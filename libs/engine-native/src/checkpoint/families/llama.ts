// Llama 2 and 3, SmolLM2, TinyLlama (models sheet llama). GGUF files hold the query and key rows in interleaved order.

import type { Fields } from '../fields.ts';
import type { RopeSpec } from '../model-spec.ts';
import { ropeFromConfig, ropeFromGguf } from '../rope.ts';
import {
  checkActivation,
  commonLayerTensors,
  freqFactorsName,
  sizesFromConfig,
  sizesFromGguf,
  type Family,
  type ModelNumbers,
  type Sizes,
} from './family.ts';

export const llama: Family = {
  name: 'llama',
  architecture: 'llama',
  modelTypes: ['llama'],
  tiedByDefault: false,
  fromGguf: (fields, hasFreqFactors) => {
    const sizes = sizesFromGguf(fields);
    const theta = fields.positive('rope.freq_base', 10_000);
    const rope = ropeFromGguf(fields, sizes.headDim, theta, hasFreqFactors ? freqFactorsName : null);
    return numbers(sizes, fields.positive('attention.layer_norm_rms_epsilon'), rope, 'interleaved');
  },
  fromConfig: (config: Fields) => {
    const sizes = sizesFromConfig(config, { contextTokens: 2048 });
    checkActivation(config, ['hidden_act'], 'silu');
    const rope = ropeFromConfig(config, sizes, 10_000);
    return numbers(sizes, config.positive('rms_norm_eps', 1e-6), rope, 'half-split');
  },
  layerTensors: (spec) => commonLayerTensors(spec, 'post_attention_layernorm'),
};

function numbers(sizes: Sizes, normEps: number, rope: RopeSpec, ropePairs: ModelNumbers['ropePairs']): ModelNumbers {
  return {
    family: 'llama',
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
    layers: Array.from({ length: sizes.numLayers }, () => ({ rope: 0, window: 0 })),
  };
}
