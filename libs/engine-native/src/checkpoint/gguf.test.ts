import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { ggufBytes, type GgufInput } from '../../../../tools/tiny-model/gguf-writer.ts';
import { tinyModelBytes } from '../../../../tools/tiny-model/tiny-model.ts';
import { CheckpointError } from './checkpoint-error.ts';
import { readGgufHeader } from './gguf.ts';

const folder = mkdtempSync(join(tmpdir(), 'tf-gguf-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'model.gguf');
const read = (bytes: Uint8Array) => {
  writeFileSync(path, bytes);
  return readGgufHeader(path);
};

/** Tensors a and b of 1,024 bytes each, at data offsets 0 and 1,024. */
const twoTensors = (): Buffer =>
  ggufBytes(
    { 'general.architecture': { type: 'string', value: 'llama' } },
    ['a', 'b'].map((name) => ({ name, shape: [256], type: 0, data: new Uint8Array(1024) })),
  );

/** The file with the offset of b replaced: its last 8 bytes before the padding. */
function withOffset(offset: bigint): Buffer {
  const bytes = twoTensors();
  const at = bytes.indexOf(Buffer.from('\x01\0\0\0\0\0\0\0b', 'latin1')) + 8 + 1 + 4 + 8 + 4;
  expect(bytes.readBigUInt64LE(at)).toBe(1024n);
  bytes.writeBigUInt64LE(offset, at);
  return bytes;
}

test('a whole file gives each tensor its place and its shape, slowest first', () => {
  const bytes = twoTensors();
  const { tensors } = read(bytes);
  expect(tensors.get('b')).toEqual({ file: 0, offset: bytes.length - 1024, byteLength: 1024, type: 0, shape: [256] });
});

test.each([
  [
    'one byte short',
    (whole: Buffer) => whole.subarray(0, -1),
    /tensor "b" needs 1024 bytes at data offset 1024, but the file has \d+ bytes/,
  ],
  [
    'in the middle of a',
    (whole: Buffer) => whole.subarray(0, -1536),
    /tensor "a" needs 1024 bytes.*, but the file has \d+ bytes/,
  ],
  ['right after the header', (whole: Buffer) => whole.subarray(0, -2048), /tensor "a" needs 1024 bytes/],
])('a file cut %s is refused by tensor, bytes needed and size', (_, cut, message) => {
  expect(() => read(cut(twoTensors()))).toThrow(message);
});

test.each([
  ['past all files', 2n ** 63n, /tensor "b" needs 1024 bytes at data offset 9223372036854775808, but the file has/],
  ['off the alignment', 1040n, /tensor "b" has offset 1040, not a multiple of 32/],
  ['over another tensor', 512n, /tensor "b" at file offset \d+ overlaps "a", which ends at \d+/],
])('an offset %s is refused', (_, offset, message) => {
  expect(() => read(withOffset(offset))).toThrow(message);
});

test('a length beyond the file is refused before memory is taken for it', () => {
  const bytes = twoTensors();
  bytes.writeBigUInt64LE(2n ** 40n, 24);
  const before = process.memoryUsage().arrayBuffers;
  expect(() => read(bytes)).toThrow(/metadata key 0 says 1099511627776/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 << 20);
});

test('equal keys and equal names are refused', () => {
  const tensor = { name: 'a', shape: [8], type: 0, data: new Uint8Array(32) };
  expect(() => read(ggufBytes({}, [tensor, tensor]))).toThrow('tensor "a" stands there twice');
  const bytes = ggufBytes({ 'k.a': { type: 'u32', value: 1 }, 'k.b': { type: 'u32', value: 2 } }, []);
  bytes.write('k.a', bytes.indexOf('k.b'));
  expect(() => read(bytes)).toThrow('metadata key "k.a" stands there twice');
});

test('other versions, byte orders and files are told apart', () => {
  const version = (value: number): Buffer => {
    const bytes = twoTensors();
    bytes.writeUInt32LE(value, 4);
    return bytes;
  };
  expect(() => read(version(1))).toThrow('GGUF version 1 is not supported; supported: 2, 3');
  expect(() => read(version(0x0300_0000))).toThrow('big-endian');
  expect(read(version(2)).version).toBe(2);
  expect(() => read(Buffer.from('PK\x03\x04 and more of it, long enough'))).toThrow('not a GGUF file');
  expect(() => read(Buffer.alloc(0))).toThrow('the magic number needs 4 bytes');
});

test('a header longer than one read of the file comes out whole', () => {
  const texts = Array.from({ length: 90_000 }, (_, i) => `token ${i} ${'x'.repeat(i % 23)}`);
  const metadata: Record<string, GgufInput> = {};
  for (let i = 0; i < 3; i += 1) metadata[`texts.${i}`] = { type: 'strings', value: texts };
  metadata['after'] = { type: 'f32', value: 0.5 };
  const header = read(ggufBytes(metadata, []));
  expect(header.metadata.get('texts.2')).toEqual(texts);
  expect(header.metadata.get('after')).toBe(0.5);
});

test('a damaged header is refused as a checkpoint, never by another error', () => {
  const whole = tinyModelBytes({ numLayers: 1 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(9000), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(20_000),
      (edits, end) => {
        const bytes = Buffer.from(end > 10_000 ? whole : whole.subarray(0, end));
        for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
        try {
          read(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(CheckpointError);
        }
      },
    ),
  );
});
