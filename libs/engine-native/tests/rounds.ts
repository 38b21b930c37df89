// Rounds on a bare model, without a scheduler: which rows of which lanes share a forward pass is the test's choice.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TokenId } from '@tensorfold/protocol';
import { type TinyModelOptions, writeTinyModel } from '../../../tools/tiny-model/tiny-model.ts';
import { addon, type NativeModel } from '../src/binding.ts';
import { loadCheckpoint } from '../src/checkpoint/checkpoint.ts';
import type { ModelSpec } from '../src/checkpoint/model-spec.ts';
import type { Dice } from './traffic.ts';

/** Rows that one lane brings to a round: `tokens` at positions `position`, `position + 1`, ... */
export interface LaneRows {
  readonly pages: readonly number[];
  readonly position: number;
  readonly tokens: readonly TokenId[];
}

/** Runs one round and returns the logits of every row, lane by lane. `isWanted` leaves rows out (null in the result). */
export function runRound(
  model: NativeModel,
  lanes: readonly LaneRows[],
  isWanted: (lane: number, row: number) => boolean = () => true,
): (Float32Array | null)[][] {
  const rows = lanes.flatMap((lane, index) => lane.tokens.map((token, row) => ({ token, row, index, lane })));
  const wanted = rows.flatMap(({ index, row }, at) => (isWanted(index, row) ? [at] : []));
  model.forward({
    tokens: Int32Array.from(rows, ({ token }) => token),
    positions: Int32Array.from(rows, ({ lane, row }) => lane.position + row),
    lanes: Int32Array.from(rows, ({ index }) => index),
    pageTables: lanes.map(({ pages }) => Int32Array.from(pages)),
    wanted: Int32Array.from(wanted),
  });
  const logits = new Map(wanted.map((at, index) => [at, model.logits(index)]));
  let at = 0;
  return lanes.map((lane) => lane.tokens.map(() => logits.get(at++) ?? null));
}

const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** A tiny checkpoint in a file of its own. */
export function tinySpec(options: TinyModelOptions): ModelSpec {
  const path = join(folder, `${(files += 1)}.gguf`);
  writeTinyModel(path, options);
  return loadCheckpoint(path).spec;
}

export function randomTokens(dice: Dice, length: number, spec: ModelSpec): TokenId[] {
  return Array.from({ length }, () => dice.whole(0, spec.vocabSize - 1));
}

export function openModel(spec: ModelSpec, kernel = '', threads = 1, numPages = 64, kvDtype = ''): NativeModel {
  return addon().loadModel(spec, { kernel, threads, numPages, kvDtype });
}

/** The definition the rest is held against: the lane alone, in one piece, on the scalar kernels and one thread. */
export function definedLogits(spec: ModelSpec, lanes: readonly (readonly TokenId[])[], kvDtype = ''): Float32Array[][] {
  const model = openModel(spec, 'scalar', 1, 64, kvDtype);
  const pages = Array.from({ length: model.numPages }, (_, page) => page);
  const logits = lanes.map((tokens) => runRound(model, [{ pages, position: 0, tokens }])[0] as Float32Array[]);
  model.close();
  return logits;
}

/** Whether two rows have the same bits: NaN and the sign of zero count. */
export function sameBits(a: Float32Array, b: Float32Array): boolean {
  return Buffer.compare(Buffer.from(a.buffer), Buffer.from(b.buffer)) === 0;
}
