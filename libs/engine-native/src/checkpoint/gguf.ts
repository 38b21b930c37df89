// Reads the header of a GGUF file, version 2 or 3: metadata and tensor table (models sheet gguf, sections 1 and 2).
// Nothing of the tensors' data is read, and nothing the header says is believed beyond the file's size.

import { CheckpointError } from './checkpoint-error.ts';
import { HeaderReader } from './header-reader.ts';
import type { TensorRef } from './model-spec.ts';
import { tensorTypes } from './tensor-types.ts';

/** 64-bit integers are numbers where exact, else bigints. */
export type GgufValue = number | bigint | boolean | string | readonly GgufValue[];

export interface GgufHeader {
  readonly path: string;
  readonly version: number;
  readonly metadata: ReadonlyMap<string, GgufValue>;
  /** `file` is 0; the shape is row-major, slowest first. */
  readonly tensors: ReadonlyMap<string, TensorRef>;
}

/** Throws CheckpointError naming the key or tensor, the value and the file's size. */
export function readGgufHeader(path: string): GgufHeader {
  const reader = new HeaderReader(path);
  try {
    return new GgufParser(reader).parse();
  } finally {
    reader.close();
  }
}

interface TensorInfo {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  readonly relativeOffset: bigint;
  readonly byteLength: number;
}

const stringType = 8;
const arrayType = 9;

/** Bytes of a value of a scalar type; of strings and arrays the least. */
const leastBytes: readonly number[] = [1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8];

class GgufParser {
  private readonly reader: HeaderReader;

  constructor(reader: HeaderReader) {
    this.reader = reader;
  }

  parse(): GgufHeader {
    const { reader } = this;
    const version = this.version();
    const numTensors = reader.count(24, 'the number of tensors');
    const numKeys = reader.count(13, 'the number of metadata keys');
    const metadata = new Map<string, GgufValue>();
    for (let i = 0; i < numKeys; i += 1) {
      const key = reader.string(`metadata key ${i}`);
      if (metadata.has(key)) throw this.error(`metadata key ${JSON.stringify(key)} stands there twice`);
      metadata.set(key, this.value(reader.u32(`the type of ${key}`), key, 0));
    }
    const infos: TensorInfo[] = [];
    const names = new Set<string>();
    for (let i = 0; i < numTensors; i += 1) {
      const info = this.tensorInfo(i);
      if (names.has(info.name)) throw this.error(`tensor ${JSON.stringify(info.name)} stands there twice`);
      names.add(info.name);
      infos.push(info);
    }
    const alignment = this.alignment(metadata.get('general.alignment') ?? 32);
    const dataStart = Math.ceil(reader.offset / alignment) * alignment;
    return { path: reader.path, version, metadata, tensors: this.place(infos, dataStart, alignment) };
  }

  private version(): number {
    const { reader } = this;
    const magic = reader.bytes(4, 'the magic number').toString('latin1');
    if (magic !== 'GGUF') throw this.error(`not a GGUF file: it begins with ${JSON.stringify(magic)}`);
    const version = reader.u32('the version');
    if ((version & 0xffff) === 0) throw this.error('the file is big-endian; only little-endian GGUF is supported');
    if (version !== 2 && version !== 3) throw this.error(`GGUF version ${version} is not supported; supported: 2, 3`);
    return version;
  }

  private value(type: number, key: string, depth: number): GgufValue {
    const { reader } = this;
    switch (type) {
      case 0:
        return reader.u8(key);
      case 1:
        return reader.i8(key);
      case 2:
        return reader.u16(key);
      case 3:
        return reader.i16(key);
      case 4:
        return reader.u32(key);
      case 5:
        return reader.i32(key);
      case 6:
        return reader.f32(key);
      case 7:
        return reader.u8(key) !== 0;
      case stringType:
        return reader.string(key);
      case arrayType:
        return this.array(key, depth);
      case 10:
        return exact(reader.u64(key));
      case 11:
        return exact(reader.i64(key));
      case 12:
        return reader.f64(key);
      default:
        throw this.error(`metadata key ${JSON.stringify(key)} has value type ${type}; known: 0 to 12`);
    }
  }

  private array(key: string, depth: number): GgufValue[] {
    if (depth > 3) throw this.error(`metadata key ${JSON.stringify(key)} nests arrays more than 4 deep`);
    const type = this.reader.u32(`the element type of ${key}`);
    const least = leastBytes[type];
    if (least === undefined)
      throw this.error(`metadata key ${JSON.stringify(key)} has elements of type ${type}; known: 0 to 12`);
    const length = this.reader.count(least, `the length of ${key}`);
    const out: GgufValue[] = [];
    for (let i = 0; i < length; i += 1) out.push(this.value(type, key, depth + 1));
    return out;
  }

  private tensorInfo(index: number): TensorInfo {
    const { reader } = this;
    const name = reader.string(`the name of tensor ${index}`);
    const quoted = JSON.stringify(name);
    const numDims = reader.u32(`the dimensions of tensor ${quoted}`);
    if (numDims < 1 || numDims > 4) throw this.error(`tensor ${quoted} has ${numDims} dimensions; known: 1 to 4`);
    const dims: bigint[] = [];
    for (let i = 0; i < numDims; i += 1) dims.push(reader.u64(`the dimensions of tensor ${quoted}`));
    const type = reader.u32(`the type of tensor ${quoted}`);
    const known = tensorTypes.get(type);
    if (known === undefined) throw this.error(`tensor ${quoted} has unknown type ${type}`);
    const [rowLength] = dims as [bigint];
    const perBlock = BigInt(known.valuesPerBlock);
    if (rowLength % perBlock !== 0n) {
      throw this.error(
        `tensor ${quoted} has rows of ${rowLength} values; ${known.name} needs a multiple of ${perBlock}`,
      );
    }
    const byteLength = (dims.reduce((product, dim) => product * dim, 1n) / perBlock) * BigInt(known.bytesPerBlock);
    if (byteLength > BigInt(reader.fileBytes)) throw this.tooLarge(name, byteLength, null);
    return {
      name,
      shape: dims.map(Number).reverse(),
      type,
      relativeOffset: reader.u64(`the offset of tensor ${quoted}`),
      byteLength: Number(byteLength),
    };
  }

  private alignment(value: GgufValue): number {
    const ok = typeof value === 'number' && Number.isInteger(value) && value > 0 && Math.log2(value) % 1 === 0;
    if (!ok) throw this.error(`general.alignment must be a power of two, got ${String(value)}`);
    return value;
  }

  /** Where the tensors lie in the file: inside it, aligned, apart from each other. */
  private place(infos: readonly TensorInfo[], dataStart: number, alignment: number): Map<string, TensorRef> {
    const tensors = new Map<string, TensorRef>();
    for (const { name, shape, type, relativeOffset, byteLength } of infos) {
      if (relativeOffset % BigInt(alignment) !== 0n) {
        throw this.error(`tensor ${JSON.stringify(name)} has offset ${relativeOffset}, not a multiple of ${alignment}`);
      }
      const end = BigInt(dataStart) + relativeOffset + BigInt(byteLength);
      if (end > BigInt(this.reader.fileBytes)) throw this.tooLarge(name, BigInt(byteLength), relativeOffset);
      tensors.set(name, { file: 0, offset: dataStart + Number(relativeOffset), byteLength, type, shape });
    }
    checkApart(tensors, (problem) => this.error(problem));
    return tensors;
  }

  private tooLarge(name: string, byteLength: bigint, relativeOffset: bigint | null): CheckpointError {
    const where = relativeOffset === null ? '' : ` at data offset ${relativeOffset}`;
    return this.error(
      `tensor ${JSON.stringify(name)} needs ${byteLength} bytes${where}, but the file has ${this.reader.fileBytes} bytes; ` +
        'it is damaged or not completely downloaded',
    );
  }

  private error(problem: string): CheckpointError {
    return new CheckpointError(this.reader.path, problem);
  }
}

/** Throws where two tensors share bytes. */
export function checkApart(tensors: ReadonlyMap<string, TensorRef>, error: (problem: string) => Error): void {
  const sorted = [...tensors].sort(([, a], [, b]) => a.offset - b.offset);
  for (let i = 1; i < sorted.length; i += 1) {
    const [previousName, previous] = sorted[i - 1]!;
    const [name, tensor] = sorted[i]!;
    if (tensor.offset >= previous.offset + previous.byteLength || tensor.byteLength === 0) continue;
    throw error(
      `tensor ${JSON.stringify(name)} at file offset ${tensor.offset} overlaps ${JSON.stringify(previousName)}, ` +
        `which ends at ${previous.offset + previous.byteLength}`,
    );
  }
}

function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
