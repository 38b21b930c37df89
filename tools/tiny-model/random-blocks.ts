// Random tensors in every type the engine computes with: valid blocks whose values spread around 0 as far as asked.

import { tensorTypeId, tensorTypes } from '../../libs/engine-native/src/checkpoint/tensor-types.ts';
import { Random } from './random.ts';

/** Bytes of `numValues` random values with a root mean square near `spread`. */
export function randomTensor(typeName: string, numValues: number, spread: number, random: Random): Uint8Array {
  const type = tensorTypes.get(tensorTypeId(typeName))!;
  if (numValues % type.valuesPerBlock !== 0) {
    throw new Error(`${typeName} needs a multiple of ${type.valuesPerBlock} values, got ${numValues}`);
  }
  const numBlocks = numValues / type.valuesPerBlock;
  const bytes = Buffer.alloc(numBlocks * type.bytesPerBlock);
  const write = writers[typeName];
  if (write === undefined)
    throw new Error(`no random blocks for ${typeName}; known: ${Object.keys(writers).join(', ')}`);
  for (let block = 0; block < numBlocks; block += 1) {
    write(bytes.subarray(block * type.bytesPerBlock, (block + 1) * type.bytesPerBlock), spread, random);
  }
  return bytes;
}

/** Values as bytes of F32, F16 or BF16. */
export function floatTensor(typeName: string, values: readonly number[]): Uint8Array {
  const width = typeName === 'F32' ? 4 : 2;
  const bytes = Buffer.alloc(values.length * width);
  values.forEach((value, i) => writeFloat(typeName, bytes, i * width, value));
  return bytes;
}

type BlockWriter = (block: Buffer, spread: number, random: Random) => void;

/** Quants are any bytes; `rms` is the root mean square of a block's values where its scale is 1. */
function scaled(
  rms: number,
  scaleAt: number,
  minimum?: { readonly at: number; readonly perScale: number },
): BlockWriter {
  return (block, spread, random) => {
    random.fill(block);
    const scale = (spread / rms) * (0.5 + random.unit());
    block.writeUInt16LE(toHalf(scale), scaleAt);
    if (minimum !== undefined) block.writeUInt16LE(toHalf(scale * minimum.perScale), minimum.at);
  };
}

const float =
  (typeName: string): BlockWriter =>
  (block, spread, random) =>
    writeFloat(typeName, block, 0, random.gaussian() * spread);

const writers: Readonly<Record<string, BlockWriter>> = {
  F32: float('F32'),
  F16: float('F16'),
  BF16: float('BF16'),
  Q4_0: scaled(4.6, 0),
  Q4_1: scaled(4.6, 0, { at: 2, perScale: -7.5 }),
  Q5_0: scaled(9.2, 0),
  Q5_1: scaled(9.2, 0, { at: 2, perScale: -15.5 }),
  Q8_0: scaled(74, 0),
  IQ4_NL: scaled(70, 0),
  // The minimum is taken off times a sub-scale of its own, so that the mean is 0 over many blocks.
  Q2_K: scaled(14, 80, { at: 82, perScale: 1.5 }),
  Q3_K: scaled(43, 108),
  Q4_K: scaled(258, 0, { at: 2, perScale: 7.5 }),
  Q5_K: scaled(527, 0, { at: 2, perScale: 15.5 }),
  Q6_K: scaled(1366, 208),
  MXFP4: (block, spread, random) => {
    random.fill(block);
    block[0] = 128 + Math.round(Math.log2(spread / 5.85) + random.unit() - 0.5);
  },
};

function writeFloat(typeName: string, bytes: Buffer, at: number, value: number): void {
  if (typeName === 'F32') bytes.writeFloatLE(value, at);
  else bytes.writeUInt16LE(typeName === 'F16' ? toHalf(value) : toBrainFloat(value), at);
}

const scratch = new DataView(new ArrayBuffer(4));

function toBrainFloat(value: number): number {
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** To the nearest half, ties to even; beyond the largest to the largest. */
export function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size >= 65_504) return sign | 0x7bff;
  if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  // A mantissa that rounds up to the next power of two carries into the exponent by itself.
  return sign | (((exponent + 15) << 10) + roundToEven((size / 2 ** exponent - 1) * 1024));
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest > 0.5 || (rest === 0.5 && floor % 2 === 1)) return floor + 1;
  return floor;
}
