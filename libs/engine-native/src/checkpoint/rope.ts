// Rotary embedding settings from the forms they are written in (models sheet llama, section 0).

import type { Sizes } from './families/family.ts';
import type { Fields } from './fields.ts';
import type { RopeSpec } from './model-spec.ts';

type Scaling = RopeSpec['scaling'];

const none: Scaling = { type: 'none' };

/** From `rope.*` of GGUF metadata. `freqFactors` is the name of the tensor of divisors where the file has one. */
export function ropeFromGguf(fields: Fields, headDim: number, theta: number, freqFactors: string | null): RopeSpec {
  return {
    theta,
    rotaryWidth: rotaryWidth(fields, 'rope.dimension_count', headDim),
    scaling: ggufScaling(fields),
    freqFactors,
  };
}

function ggufScaling(fields: Fields): Scaling {
  const oldFactor = fields.positive('rope.scale_linear', 1);
  const type = fields.text('rope.scaling.type', oldFactor === 1 ? 'none' : 'linear');
  const factor = fields.positive('rope.scaling.factor', oldFactor);
  switch (type) {
    case 'none':
      return none;
    case 'linear':
      return factor === 1 ? none : { type: 'linear', factor };
    case 'yarn':
      return {
        type: 'yarn',
        factor,
        originalContext: fields.count('rope.scaling.original_context_length', fields.count('context_length')),
        betaFast: fields.positive('rope.scaling.yarn_beta_fast', 32),
        betaSlow: fields.positive('rope.scaling.yarn_beta_slow', 1),
        truncate: true,
        attentionFactor: fields.positive('rope.scaling.attn_factor', 1) * yarnGain(factor, 1),
      };
    default:
      throw fields.error('rope.scaling.type', type, 'none, linear or yarn');
  }
}

/**
 * From config.json: `rope_parameters` (flat, or one object a layer type), else `rope_theta` and `rope_scaling`.
 * `layerType` picks of several; `theta` is the default.
 */
export function ropeFromConfig(config: Fields, sizes: Sizes, theta: number, layerType = 'full_attention'): RopeSpec {
  const { headDim, contextTokens } = sizes;
  const parameters = config.object('rope_parameters');
  const own = parameters?.object(layerType) ?? parameters;
  const scaling = own ?? config.object('rope_scaling');
  const partial = (own ?? config).positive('partial_rotary_factor', config.positive('partial_rotary_factor', 1));
  const width = Math.floor(headDim * partial);
  if (width % 2 !== 0)
    throw config.error('partial_rotary_factor', partial, `one that rotates an even part of ${headDim}`);
  return {
    theta: own?.has('rope_theta') === true ? own.positive('rope_theta') : config.positive('rope_theta', theta),
    rotaryWidth: width,
    scaling:
      scaling === null
        ? none
        : configScaling(scaling, config.count('original_max_position_embeddings', contextTokens), contextTokens),
    freqFactors: null,
  };
}

/** `contextTokens` is the window the file claims, `originalContext` the one before scaling where `fields` names none. */
function configScaling(fields: Fields, originalContext: number, contextTokens: number): Scaling {
  const type = fields.text('rope_type', fields.text('type', 'default'));
  switch (type) {
    case 'default':
      return none;
    case 'linear':
      return { type: 'linear', factor: fields.positive('factor') };
    case 'llama3':
      return {
        type: 'llama3',
        factor: fields.positive('factor'),
        lowFreqFactor: fields.positive('low_freq_factor'),
        highFreqFactor: fields.positive('high_freq_factor'),
        originalContext: fields.count('original_max_position_embeddings', originalContext),
      };
    case 'yarn': {
      const original = fields.count('original_max_position_embeddings', originalContext);
      const factor = fields.positive('factor', contextTokens / original);
      return {
        type: 'yarn',
        factor,
        originalContext: original,
        betaFast: fields.positive('beta_fast', 32),
        betaSlow: fields.positive('beta_slow', 1),
        truncate: fields.flag('truncate', true),
        attentionFactor: fields.positive('attention_factor', configGain(fields, factor)),
      };
    }
    default:
      throw fields.error('rope_type', type, 'default, linear, llama3 or yarn');
  }
}

function configGain(fields: Fields, factor: number): number {
  const scale = fields.finite('mscale', 0);
  const allDims = fields.finite('mscale_all_dim', 0);
  if (scale === 0 || allDims === 0) return yarnGain(factor, 1);
  return yarnGain(factor, scale) / yarnGain(factor, allDims);
}

/** By how much YaRN raises queries and keys. */
function yarnGain(factor: number, scale: number): number {
  return factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1;
}

function rotaryWidth(fields: Fields, name: string, headDim: number): number {
  const width = fields.count(name, headDim);
  if (width % 2 !== 0 || width > headDim) throw fields.error(name, width, `even and at most the head's ${headDim}`);
  return width;
}
