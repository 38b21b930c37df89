// One lane of a loaded model, to feed ids and read logits.

import { addon, type NativeModel } from '../../libs/engine-native/src/binding.ts';
import type { ModelSpec } from '../../libs/engine-native/src/checkpoint/model-spec.ts';

const pageTokens = 64;
const chunkTokens = 64;

export class LoneModel {
  private readonly model: NativeModel;
  private readonly pages: Int32Array;
  private length = 0;

  /** Room for `maxTokens` positions. Threads and kernels as the addon chooses (env TF_KERNEL). */
  constructor(spec: ModelSpec, maxTokens: number, kvDtype = '') {
    const numPages = Math.ceil(maxTokens / pageTokens);
    this.model = addon().loadModel(spec, { threads: 0, kernel: '', numPages, kvDtype });
    this.pages = Int32Array.from({ length: numPages }, (_, page) => page);
  }

  /** Forgets what was read. */
  restart(): void {
    this.length = 0;
  }

  /** Reads ids after those before; calls `see` with the logits after the i-th of them where `wanted(i)`. */
  read(ids: readonly number[], wanted: (i: number) => boolean, see: (i: number, logits: Float32Array) => void): void {
    for (let start = 0; start < ids.length; start += chunkTokens) {
      const tokens = Int32Array.from(ids.slice(start, start + chunkTokens));
      const rows = Array.from(tokens, (_, row) => row).filter((row) => wanted(start + row));
      this.model.forward({
        tokens,
        positions: tokens.map((_, row) => this.length + row),
        lanes: new Int32Array(tokens.length),
        pageTables: [this.pages],
        wanted: Int32Array.from(rows),
      });
      rows.forEach((row, index) => see(start + row, this.model.logits(index)));
      this.length += tokens.length;
    }
  }

  close(): void {
    this.model.close();
  }
}

/** The likeliest id; ties to the lowest. */
export function argmax(logits: Float32Array): number {
  let best = 0;
  for (let id = 1; id < logits.length; id += 1) if (logits[id]! > logits[best]!) best = id;
  return best;
}
