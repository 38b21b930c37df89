// Picks the tensors a graph needs out of what a checkpoint's files have, by GGUF name, and checks each.

import { CheckpointError } from './checkpoint-error.ts';
import { freqFactorsName, type Family, type ModelNumbers, type TensorRule } from './families/family.ts';
import type { TensorRef } from './model-spec.ts';
import { supportedTypeNames, tensorTypeName, tensorTypes } from './tensor-types.ts';

export interface TensorSource {
  /** For messages. */
  readonly path: string;
  readonly files: readonly string[];
  /** By the name in the files; `file` indexes `files`. */
  readonly tensors: ReadonlyMap<string, TensorRef>;
  /** Type of a tensor that is there but of a kind the engine does not compute with, e.g. F8_E4M3. */
  readonly foreignType: (name: string) => string | undefined;
  /** The name in the files of a layer's rule, or of a rule outside the layers (`layer` null). */
  readonly nameOf: (rule: TensorRule, layer: number | null) => string;
}

/** Throws CheckpointError naming the tensor and what is wrong with it. */
export function pickTensors(
  family: Family,
  numbers: ModelNumbers,
  vocabSize: number,
  tied: boolean,
  source: TensorSource,
): Record<string, TensorRef> {
  const out: Record<string, TensorRef> = {};
  const pick = (rule: TensorRule, layer: number | null): void => {
    const name = source.nameOf(rule, layer);
    const ref = source.tensors.get(name);
    if (ref === undefined) {
      const foreign = source.foreignType(name);
      if (foreign !== undefined) throw typeError(source.path, name, foreign);
      if (rule.optional === true) return;
      throw new CheckpointError(
        source.path,
        `tensor ${JSON.stringify(name)} is missing; the ${family.name} family needs it`,
      );
    }
    checkTensor(source.path, name, ref, rule.shape);
    out[layer === null ? rule.name : `blk.${layer}.${rule.name}`] = ref;
  };
  for (const rule of topTensors(numbers, vocabSize, tied)) pick(rule, null);
  const layerRules = family.layerTensors(numbers);
  for (let layer = 0; layer < numbers.numLayers; layer += 1) for (const rule of layerRules) pick(rule, layer);
  return out;
}

function topTensors(numbers: ModelNumbers, vocabSize: number, tied: boolean): TensorRule[] {
  const rules: TensorRule[] = [
    { name: 'token_embd.weight', hfName: 'embed_tokens.weight', shape: [vocabSize, numbers.hiddenSize] },
    { name: 'output_norm.weight', hfName: 'norm.weight', shape: [numbers.hiddenSize] },
  ];
  if (!tied) rules.push({ name: 'output.weight', hfName: 'lm_head.weight', shape: [vocabSize, numbers.hiddenSize] });
  const factors = numbers.ropes.find((rope) => rope.freqFactors !== null);
  if (factors !== undefined) rules.push({ name: freqFactorsName, hfName: '', shape: [factors.rotaryWidth / 2] });
  return rules;
}

const f32 = 0;
/** F32, F16, BF16: what vectors may be. */
const floatTypes = new Set([f32, 1, 30]);

function checkTensor(path: string, name: string, ref: TensorRef, shape: readonly number[]): void {
  const same = ref.shape.length === shape.length && shape.every((size, axis) => ref.shape[axis] === size);
  if (!same) {
    throw new CheckpointError(
      path,
      `tensor ${JSON.stringify(name)} has shape [${ref.shape.join(', ')}]; the configuration makes it [${shape.join(', ')}]`,
    );
  }
  if (tensorTypes.get(ref.type)?.supported !== true) throw typeError(path, name, tensorTypeName(ref.type));
  if (name === freqFactorsName && ref.type !== f32) {
    throw new CheckpointError(path, `tensor "${name}" is ${tensorTypeName(ref.type)}; it must be F32`);
  }
  if (shape.length === 1 && !floatTypes.has(ref.type)) {
    throw new CheckpointError(
      path,
      `tensor ${JSON.stringify(name)} is ${tensorTypeName(ref.type)}; norms and biases must be F32, F16 or BF16`,
    );
  }
}

function typeError(path: string, name: string, type: string): CheckpointError {
  return new CheckpointError(
    path,
    `tensor ${JSON.stringify(name)} is ${type}, which is not supported; supported: ${supportedTypeNames.join(', ')}`,
  );
}
