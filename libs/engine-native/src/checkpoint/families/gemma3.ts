// Gemma 3 text (models sheet gemma, part A): sliding and full layers with ropes of their own, norms after each half too.

import type { Fields } from '../fields.ts';
import type { RopeSpec } from '../model-spec.ts';
import { ropeFromConfig, ropeFromGguf } from '../rope.ts';
import {
  checkActivation,
  commonLayerTensors,
  headNormTensors,
  sizesFromConfig,
  sizesFromGguf,
  windowsByLayerType,
  type Family,
  type ModelNumbers,
  type Sizes,
} from './family.ts';

/** `ropes[0]` of full layers, `ropes[1]` of sliding ones. */
const fullRope = 0;
const slidingRope = 1;

const localTheta = 10_000;
/** Every sixth layer sees all. */
const patternLayers = 6;

/** Gemma3TextConfig's defaults: multimodal files leave out what equals them. */
const defaults: Partial<Sizes> = {
  hiddenSize: 2304,
  ffnSize: 9216,
  numLayers: 26,
  numHeads: 8,
  numKvHeads: 4,
  headDim: 256,
  contextTokens: 131_072,
};

export const gemma3: Family = {
  name: 'gemma3',
  architecture: 'gemma3',
  modelTypes: ['gemma3_text', 'gemma3'],
  tiedByDefault: true,
  fromGguf: (fields) => {
    const sizes = sizesFromGguf(fields);
    const full = ropeFromGguf(fields, sizes.headDim, fields.positive('rope.freq_base', 1_000_000), null);
    const sliding: RopeSpec = {
      ...full,
      theta: fields.positive('rope.freq_base_swa', localTheta),
      scaling: { type: 'none' },
    };
    // The 27B model, known by its layers, scales by another width; the file does not say so.
    const scaleWidth = sizes.numLayers === 62 ? sizes.hiddenSize / sizes.numHeads : sizes.headDim;
    return {
      ...common(sizes, fields.positive('attention.layer_norm_rms_epsilon', 1e-6), full, sliding),
      normWeightOffset: 0,
      attentionScale: scaleWidth ** -0.5,
      finalSoftcap: fields.finite('final_logit_softcapping', 0),
      layers: layersOf(ggufWindows(fields, sizes.numLayers)),
    };
  },
  fromConfig: (config) => {
    const sizes = sizesFromConfig(config, defaults);
    checkActivation(config, ['hidden_activation', 'hidden_act'], 'gelu_pytorch_tanh');
    if (config.flag('use_bidirectional_attention', false)) {
      throw config.error('use_bidirectional_attention', true, 'false: embedding models are not supported');
    }
    const full = ropeFromConfig(config, sizes, 1_000_000);
    const window = config.count('sliding_window', 4096);
    return {
      ...common(sizes, config.positive('rms_norm_eps', 1e-6), full, slidingFromConfig(config, sizes)),
      normWeightOffset: 1,
      attentionScale: config.positive('query_pre_attn_scalar', 256) ** -0.5,
      finalSoftcap: config.finite('final_logit_softcapping', 0),
      layers: layersOf(
        windowsByLayerType(config, sizes.numLayers, window) ?? patternWindows(config, sizes.numLayers, window),
      ),
    };
  },
  layerTensors: (spec) => [
    ...commonLayerTensors(spec, 'pre_feedforward_layernorm'),
    ...headNormTensors(spec),
    { name: 'post_attention_norm.weight', hfName: 'post_attention_layernorm.weight', shape: [spec.hiddenSize] },
    { name: 'post_ffw_norm.weight', hfName: 'post_feedforward_layernorm.weight', shape: [spec.hiddenSize] },
  ],
};

function common(sizes: Sizes, normEps: number, full: RopeSpec, sliding: RopeSpec) {
  return {
    family: 'gemma3',
    ...sizes,
    normEps,
    activation: 'gelu-tanh' as const,
    // Files have an `attn_logit_softcapping`, a rest of Gemma 2: the reference does not read it.
    attentionSoftcap: 0,
    embeddingScale: Math.sqrt(sizes.hiddenSize),
    ropePairs: 'half-split' as const,
    ropes: [full, sliding],
  };
}

function layersOf(windows: readonly number[]): ModelNumbers['layers'] {
  return windows.map((window) => ({ rope: window === 0 ? fullRope : slidingRope, window }));
}

/** Newer files have one `rope_parameters` a layer type, older ones `rope_local_base_freq`; local layers never scale. */
function slidingFromConfig(config: Fields, sizes: Sizes): RopeSpec {
  if (config.object('rope_parameters')?.has('sliding_attention') === true) {
    return ropeFromConfig(config, sizes, localTheta, 'sliding_attention');
  }
  const theta = config.positive('rope_local_base_freq', localTheta);
  return { theta, rotaryWidth: sizes.headDim, scaling: { type: 'none' }, freqFactors: null };
}

function patternWindows(config: Fields, numLayers: number, window: number): number[] {
  const pattern = config.count('sliding_window_pattern', config.count('_sliding_window_pattern', patternLayers));
  return Array.from({ length: numLayers }, (_, layer) => ((layer + 1) % pattern === 0 ? 0 : window));
}

function ggufWindows(fields: Fields, numLayers: number): number[] {
  const window = fields.count('attention.sliding_window');
  const given = fields.raw('attention.sliding_window_pattern');
  if (!Array.isArray(given)) {
    const pattern = fields.count('attention.sliding_window_pattern', patternLayers);
    return Array.from({ length: numLayers }, (_, layer) => ((layer + 1) % pattern === 0 ? 0 : window));
  }
  if (given.length < numLayers) throw fields.error('attention.sliding_window_pattern', given, `a list of ${numLayers}`);
  return Array.from({ length: numLayers }, (_, layer) => (given[layer] === true || given[layer] === 1 ? window : 0));
}
