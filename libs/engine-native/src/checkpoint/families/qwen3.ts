// Qwen3 dense (models sheet qwen3): Llama's layer with norms on each query and key head.

import type { Fields } from '../fields.ts';
import { ropeFromConfig, ropeFromGguf } from '../rope.ts';
import {
  checkActivation,
  commonLayerTensors,
  freqFactorsName,
  headNormTensors,
  plainNumbers,
  sizesFromConfig,
  sizesFromGguf,
  windowsByLayerType,
  type Family,
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
    const normEps = fields.positive('attention.layer_norm_rms_epsilon', 1e-6);
    return plainNumbers('qwen3', sizes, normEps, rope, 'half-split', null);
  },
  fromConfig: (config) => {
    const sizes = sizesFromConfig(config, { headDim: 128, contextTokens: 32_768 });
    checkActivation(config, ['hidden_act'], 'silu');
    const rope = ropeFromConfig(config, sizes, 1_000_000);
    const windows = windowsFromConfig(config, sizes.numLayers);
    return plainNumbers('qwen3', sizes, config.positive('rms_norm_eps', 1e-6), rope, 'half-split', windows);
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
