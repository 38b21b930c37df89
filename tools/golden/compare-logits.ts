// The bars for logits, argmaxes and greedy ids of one prompt: what the family and GGUF goldens share.

import { loadCheckpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';
import { argmax, LoneModel } from './lone-model.ts';
import { Difference } from './report.ts';

export interface PromptGolden {
  readonly ids: readonly number[];
  readonly positions: readonly number[];
  readonly logits: readonly (readonly number[])[];
  readonly argmax_all: readonly number[];
  readonly greedy: readonly number[];
  readonly greedy_gap?: readonly number[];
}

export interface Bar {
  /** null: logits are not compared (quantised weights, where activations may be rounded). */
  readonly logits: { readonly absolute: number; readonly relative: number } | null;
  /** An argmax that leads by more must be the same. */
  readonly lead: number;
}

export const floatBar: Bar = { logits: { absolute: 2e-3, relative: 1e-3 }, lead: 4e-3 };
export const quantizedBar: Bar = { logits: null, lead: 0.05 };

/** A checkpoint's prompts, each on an empty lane. Returns the detail. Throws Difference or CheckpointError. */
export function checkModel(path: string, prompts: readonly PromptGolden[], bar: Bar): string {
  const { spec } = loadCheckpoint(path);
  const longest = Math.max(...prompts.map((prompt) => prompt.ids.length + prompt.greedy.length));
  const model = new LoneModel(spec, longest);
  try {
    return detailOf(Math.max(...prompts.map((prompt) => checkPrompt(model, prompt, bar))));
  } finally {
    model.close();
  }
}

/** Returns the largest logit error. Throws Difference. */
function checkPrompt(model: LoneModel, golden: PromptGolden, bar: Bar): number {
  let largest = 0;
  const rowOf = new Map(golden.positions.map((position, row) => [position, row]));
  const see = (position: number, logits: Float32Array): void => {
    const row = rowOf.get(position);
    const reference = row === undefined ? null : golden.logits[row]!;
    if (reference !== null) largest = Math.max(largest, checkRow(position, logits, reference, bar, largest));
    const expected = golden.argmax_all[position]!;
    checkArgmax(`argmax at ${position}`, logits, expected, reference === null ? null : leadOf(reference), bar, largest);
  };
  model.restart();
  model.read(golden.ids, () => true, see);
  checkGreedy(model, golden, bar, largest);
  return largest;
}

/** The reference's own ids are fed on, so that one close call does not spoil the rest. */
function checkGreedy(model: LoneModel, golden: PromptGolden, bar: Bar, largest: number): void {
  model.restart();
  const last = golden.ids.length - 1;
  const fed = [...golden.ids, ...golden.greedy.slice(0, -1)];
  model.read(
    fed,
    (i) => i >= last,
    (i, logits) => {
      const step = i - last;
      checkArgmax(`greedy ${step}`, logits, golden.greedy[step]!, golden.greedy_gap?.[step] ?? null, bar, largest);
    },
  );
}

function checkRow(position: number, ours: Float32Array, reference: readonly number[], bar: Bar, soFar: number): number {
  let largest = soFar;
  if (ours.length !== reference.length) {
    throw new Difference(`${ours.length} logits at ${position}, expected ${reference.length}`);
  }
  reference.forEach((expected, id) => {
    const error = Math.abs(ours[id]! - expected);
    if (!(error <= largest)) largest = error;
    if (bar.logits === null) return;
    if (error <= bar.logits.absolute || error <= bar.logits.relative * Math.abs(expected)) return;
    throw new Difference(`logit of ${id} at ${position}: ours is ${ours[id]}, expected ${expected}`, detailOf(largest));
  });
  return largest;
}

/** `lead` is the reference's where it is known; else how far ours puts its own choice over the expected one. */
function checkArgmax(
  what: string,
  ours: Float32Array,
  expected: number,
  lead: number | null,
  bar: Bar,
  largest: number,
): void {
  const id = argmax(ours);
  if (id === expected || (lead !== null && lead <= bar.lead)) return;
  const gap = ours[id]! - ours[expected]!;
  if (lead === null && gap <= bar.lead) return;
  throw new Difference(
    `${what}: ours is ${id}, expected ${expected} (lead ${(lead ?? gap).toFixed(5)})`,
    detailOf(largest),
  );
}

function leadOf(logits: readonly number[]): number {
  let first = Number.NEGATIVE_INFINITY;
  let second = Number.NEGATIVE_INFINITY;
  for (const value of logits) {
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  return first - second;
}

function detailOf(largest: number): string {
  return `largest error ${largest.toExponential(2)}`;
}
