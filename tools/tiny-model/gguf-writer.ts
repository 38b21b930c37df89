// Writes GGUF version 3: what tests and tools make tiny checkpoints with.

export type GgufInput =
  | { readonly type: 'u32' | 'u64' | 'i32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s' | 'f32s'; readonly value: readonly number[] };

export interface GgufTensorHead {
  readonly name: string;
  /** Row-major, slowest first. */
  readonly shape: readonly number[];
  /** GGUF type id. */
  readonly type: number;
  readonly byteLength: number;
}

export interface GgufTensorInput extends Omit<GgufTensorHead, 'byteLength'> {
  readonly data: Uint8Array;
}

const alignment = 32;

/** The whole file. Tensors stand in the order given, each aligned to 32 bytes. */
export function ggufBytes(metadata: Readonly<Record<string, GgufInput>>, tensors: readonly GgufTensorInput[]): Buffer {
  const heads = tensors.map(({ data, ...head }) => ({ ...head, byteLength: data.length }));
  const out = new ByteWriter();
  out.bytes(ggufHeader(metadata, heads));
  for (const { data } of tensors) {
    out.bytes(data);
    out.pad();
  }
  return out.toBuffer();
}

/** All that stands before the tensors; after it they follow in this order, each padded to `paddedLength`. */
export function ggufHeader(metadata: Readonly<Record<string, GgufInput>>, tensors: readonly GgufTensorHead[]): Buffer {
  const header = new ByteWriter();
  header.bytes(Buffer.from('GGUF', 'latin1'));
  header.u32(3);
  header.u64(tensors.length);
  header.u64(Object.keys(metadata).length);
  for (const [key, input] of Object.entries(metadata)) {
    header.string(key);
    writeValue(header, input);
  }
  let offset = 0;
  for (const { name, shape, type, byteLength } of tensors) {
    header.string(name);
    header.u32(shape.length);
    for (const size of shape.toReversed()) header.u64(size);
    header.u32(type);
    header.u64(offset);
    offset += paddedLength(byteLength);
  }
  header.pad();
  return header.toBuffer();
}

function writeValue(out: ByteWriter, input: GgufInput): void {
  switch (input.type) {
    case 'u32':
      out.u32(4);
      return out.u32(input.value);
    case 'i32':
      out.u32(5);
      return out.i32(input.value);
    case 'f32':
      out.u32(6);
      return out.f32(input.value);
    case 'bool':
      out.u32(7);
      return out.bytes(Uint8Array.of(input.value ? 1 : 0));
    case 'string':
      out.u32(8);
      return out.string(input.value);
    case 'u64':
      out.u32(10);
      return out.u64(input.value);
    case 'strings':
      out.arrayHead(8, input.value.length);
      return input.value.forEach((text) => out.string(text));
    case 'i32s':
      out.arrayHead(5, input.value.length);
      return input.value.forEach((value) => out.i32(value));
    case 'f32s':
      out.arrayHead(6, input.value.length);
      return input.value.forEach((value) => out.f32(value));
  }
}

/** Bytes that `length` bytes take with what aligns the next tensor. */
export function paddedLength(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}

class ByteWriter {
  private readonly chunks: Uint8Array[] = [];
  private length = 0;

  bytes(chunk: Uint8Array): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
  }

  u32(value: number): void {
    const chunk = Buffer.alloc(4);
    chunk.writeUInt32LE(value);
    this.bytes(chunk);
  }

  i32(value: number): void {
    const chunk = Buffer.alloc(4);
    chunk.writeInt32LE(value);
    this.bytes(chunk);
  }

  f32(value: number): void {
    const chunk = Buffer.alloc(4);
    chunk.writeFloatLE(value);
    this.bytes(chunk);
  }

  u64(value: number): void {
    const chunk = Buffer.alloc(8);
    chunk.writeBigUInt64LE(BigInt(value));
    this.bytes(chunk);
  }

  string(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.u64(bytes.length);
    this.bytes(bytes);
  }

  arrayHead(elementType: number, length: number): void {
    this.u32(9);
    this.u32(elementType);
    this.u64(length);
  }

  pad(): void {
    this.bytes(new Uint8Array(paddedLength(this.length) - this.length));
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
