// The addon's types, and its only importer. Everything here is synchronous; one thread at a time may call a model.

import type { ModelSpec } from './checkpoint/model-spec.ts';
import { loadAddon } from './load-addon.ts';

export interface NativeModelOptions {
  /** Compute threads, the calling one included; 0 takes the machine's. */
  readonly threads: number;
  /** '' picks the fastest this CPU runs; else `scalar`, `avx2`, ... (also env TF_KERNEL). */
  readonly kernel: string;
  /** KV pages of 64 positions to reserve (touched when used). */
  readonly numPages: number;
  /** `f32`, `f16` or `q8`; '' (default) takes the checkpoint's own. */
  readonly kvDtype?: string;
  /** Breaks the contract on purpose, to see the checks catch it: `reorder-sum`, or '' (default). */
  readonly fault?: string;
}

/** One scheduled forward pass. Rows of a lane stand together, positions ascending by one. */
export interface RoundRows {
  /** [rows] token ids. */
  readonly tokens: Int32Array;
  /** [rows] absolute positions. */
  readonly positions: Int32Array;
  /** [rows] index into `pageTables`. */
  readonly lanes: Int32Array;
  /** Page ids of each lane; page p holds positions [64 p, 64 p + 64). Must cover the lane's last row. */
  readonly pageTables: readonly Int32Array[];
  /** Ascending row indices whose logits are needed. */
  readonly wanted: Int32Array;
}

export interface NativeModel {
  readonly kernel: string;
  readonly threads: number;
  readonly numPages: number;
  readonly pageBytes: number;
  /** Packed weights in memory. */
  readonly weightBytes: number;
  /**
   * Reads rows: writes their keys and values to the pages, and keeps the logits of the wanted rows until the next call.
   * Throws on a token or page out of range (nothing is written) and on NaN logits.
   */
  forward(rows: RoundRows): void;
  /** A copy of the logits [vocabSize] of the index-th wanted row. */
  logits(index: number): Float32Array;
  /**
   * Rule 2 on the index-th wanted row. `mask` has one bit a token (word id >> 5, bit id & 31), set = allowed; null
   * allows all. `position` is the index of the new token in prompt + reply.
   */
  draw(
    index: number,
    temperature: number,
    topK: number,
    topP: number,
    minP: number,
    seed: bigint,
    position: number,
    mask: Uint32Array | null,
  ): number;
  /** `start`, changed by the bits of all logits of the index-th wanted row: a chain over rows tells runs apart. */
  hashRow(index: number, start: bigint): bigint;
  /** Copies a page's keys and values, all layers. */
  copyPage(from: number, to: number): void;
  /** Frees the weights and pages; any later call throws. */
  close(): void;
}

export interface Addon {
  /** 1: docs/exactness.md. */
  readonly numericVersion: number;
  /** Kernel sets this CPU can run, fastest first. */
  readonly kernels: readonly string[];
  loadModel(spec: ModelSpec, options: NativeModelOptions): NativeModel;
  /** Values of whole blocks of a GGUF type, bit for bit as the format defines. Throws on an unknown type. */
  dequantize(type: number, bytes: Uint8Array): Float32Array;
  /** Rule 2 on given logits: what `NativeModel.draw` calls. */
  drawToken(
    logits: Float32Array,
    temperature: number,
    topK: number,
    topP: number,
    minP: number,
    seed: bigint,
    position: number,
    mask: Uint32Array | null,
  ): number;
}

let loaded: Addon | undefined;

/** The addon, loaded on first use. Throws an error that lists every place tried. */
export function addon(): Addon {
  loaded ??= loadAddon() as Addon;
  return loaded;
}
