// Llama 2 and 3, SmolLM2, TinyLlama (models sheet llama). GGUF files hold the query and key rows in interleaved order.

import type { Fields } from '../fields.ts';
import { ropeFromConfig, ropeFromGguf } from '../rope.ts';
import {
  checkActivation,
  commonLayerTensors,
  freqFactorsName,
  plainNumbers,
  sizesFromConfig,
  sizesFromGguf,
  type Family,
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
    const normEps = fields.positive('attention.layer_norm_rms_epsilon');
    return plainNumbers('llama', sizes, normEps, rope, 'interleaved', null);
  },
  fromConfig: (config: Fields) => {
    const sizes = sizesFromConfig(config, { contextTokens: 2048 });
    checkActivation(config, ['hidden_act'], 'silu');
    const rope = ropeFromConfig(config, sizes, 10_000);
    return plainNumbers('llama', sizes, config.positive('rms_norm_eps', 1e-6), rope, 'half-split', null);
  },
  layerTensors: (spec) => commonLayerTensors(spec, 'post_attention_layernorm'),
};
