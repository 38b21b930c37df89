// Reads the header of a safetensors file: JSON that names each tensor's type, shape and place (models sheet, section 1).

import { CheckpointError } from './checkpoint-error.ts';
import { checkApart } from './gguf.ts';
import { HeaderReader } from './header-reader.ts';
import type { TensorRef } from './model-spec.ts';
import { tensorTypeId } from './tensor-types.ts';

const maxHeaderBytes = 100_000_000;

/** Types the engine computes with, by GGUF's id, and their bytes. */
const dtypes: Readonly<Record<string, { readonly type: number; readonly bytes: number }>> = {
  F32: { type: tensorTypeId('F32'), bytes: 4 },
  F16: { type: tensorTypeId('F16'), bytes: 2 },
  BF16: { type: tensorTypeId('BF16'), bytes: 2 },
};

/** Of those it does not: a checkpoint may hold some that no graph needs. */
const otherBytes: Readonly<Record<string, number>> = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E5M2: 1,
  F8_E4M3: 1,
  F8_E8M0: 1,
  I16: 2,
  U16: 2,
  I32: 4,
  U32: 4,
  F64: 8,
  I64: 8,
  U64: 8,
};

export interface SafetensorsHeader {
  readonly path: string;
  /** `file` is 0. */
  readonly tensors: ReadonlyMap<string, TensorRef>;
  /** Tensors of a type the engine does not compute with: name to that type. */
  readonly others: ReadonlyMap<string, string>;
}

/** Throws CheckpointError naming the tensor, the bytes needed and the file's size. */
export function readSafetensorsHeader(path: string): SafetensorsHeader {
  const reader = new HeaderReader(path);
  try {
    return parse(reader);
  } finally {
    reader.close();
  }
}

function parse(reader: HeaderReader): SafetensorsHeader {
  const { path, fileBytes } = reader;
  const fail = (problem: string): CheckpointError => new CheckpointError(path, problem);
  const headerBytes = reader.count(1, 'the size of the header');
  if (headerBytes > maxHeaderBytes)
    throw fail(`the header claims ${headerBytes} bytes; at most ${maxHeaderBytes} are read`);
  const text = reader.bytes(headerBytes, 'the header').toString('utf8');
  const entries = parseEntries(text, fail);
  const dataStart = 8 + headerBytes;
  const tensors = new Map<string, TensorRef>();
  const others = new Map<string, string>();
  const places = new Map<string, TensorRef>();
  for (const [name, entry] of Object.entries(entries)) {
    if (name === '__metadata__') continue;
    const quoted = JSON.stringify(name);
    const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof dtype !== 'string' || !isCounts(shape) || !isCounts(offsets) || offsets.length !== 2) {
      throw fail(`tensor ${quoted} needs a dtype, a shape and two data_offsets, got ${JSON.stringify(entry)}`);
    }
    const known = Object.hasOwn(dtypes, dtype) ? dtypes[dtype] : undefined;
    const bytes = known?.bytes ?? (Object.hasOwn(otherBytes, dtype) ? otherBytes[dtype] : undefined);
    const [begin, end] = offsets as [number, number];
    if (end < begin) throw fail(`tensor ${quoted} ends at ${end}, before it begins at ${begin}`);
    if (dataStart + end > fileBytes) {
      throw fail(
        `tensor ${quoted} needs ${end - begin} bytes at data offset ${begin}, but the file has ${fileBytes} bytes; ` +
          'it is damaged or not completely downloaded',
      );
    }
    const needed = bytes === undefined ? null : shape.reduce((product, dim) => product * BigInt(dim), BigInt(bytes));
    if (needed !== null && needed !== BigInt(end - begin)) {
      throw fail(`tensor ${quoted} of ${dtype} [${shape.join(', ')}] needs ${needed} bytes, but has ${end - begin}`);
    }
    const ref: TensorRef = {
      file: 0,
      offset: dataStart + begin,
      byteLength: end - begin,
      type: known?.type ?? -1,
      shape,
    };
    places.set(name, ref);
    if (known === undefined) others.set(name, dtype);
    else tensors.set(name, ref);
  }
  checkApart(places, fail);
  return { path, tensors, others };
}

function parseEntries(text: string, fail: (problem: string) => CheckpointError): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) throw fail('not a safetensors file: its header is no JSON object');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail(`the header is no JSON: ${(error as Error).message}`);
  }
  // JSON.parse keeps the last of equal keys without a word; each tensor has one data_offsets, so they can be counted.
  const entries = value as Readonly<Record<string, unknown>>;
  const numTensors = Object.keys(entries).filter((name) => name !== '__metadata__').length;
  const numPlaces = text.match(/"data_offsets"\s*:/g)?.length ?? 0;
  if (numPlaces > numTensors)
    throw fail(`the header has ${numPlaces} tensors under ${numTensors} names: one stands there twice`);
  return entries;
}

function isCounts(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}
