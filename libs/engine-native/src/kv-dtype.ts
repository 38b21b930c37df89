// What keys and values are kept as. A checkpoint has a type of its own (docs/decisions/0003-kv-type.md); another one is
// another set of numbers, with a name of its own.

import type { ModelSpec } from './checkpoint/model-spec.ts';
import { pageTokens } from './scheduler/prefix-cache.ts';

/** `q8`: int8 codes with a float scale per position and 32 values of a head. */
export const kvDtypes = ['f32', 'f16', 'q8'] as const;
export type KvDtype = (typeof kvDtypes)[number];

/** Float attention weights keep floats, quantized ones halves. */
export function ownKvDtype(spec: ModelSpec): KvDtype {
  const type = spec.tensors['blk.0.attn_k.weight']?.type ?? 0;
  return [0, 1, 30].includes(type) ? 'f32' : 'f16';
}

/** Bytes of one page: keys and values of 64 positions, all layers and kv heads. */
export function pageBytesOf(spec: ModelSpec, dtype: KvDtype = ownKvDtype(spec)): number {
  const values = spec.headDim + Math.ceil(spec.headDim / 8) * 8;
  const groups = Math.ceil(spec.headDim / 32);
  const bytes = { f32: 4 * values, f16: 2 * values, q8: values + 2 * 4 * groups }[dtype];
  return spec.numLayers * spec.numKvHeads * pageTokens * bytes;
}

/** The numbers' name in replies: the version alone with the checkpoint's own type, else `1+kv-q8` and its like. */
export function numericName(version: number, spec: ModelSpec, dtype: KvDtype | null): number | string {
  return dtype === null || dtype === ownKvDtype(spec) ? version : `${version}+kv-${dtype}`;
}
