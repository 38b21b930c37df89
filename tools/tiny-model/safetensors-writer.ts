// Safetensors files of zeros, for tests of what their headers say.

const bytesOf: Readonly<Record<string, number>> = { F32: 4, F16: 2, BF16: 2, F8_E4M3: 1 };

/** A file with these tensors of one dtype, one after the other. */
export function safetensorsBytes(shapes: Readonly<Record<string, readonly number[]>>, dtype = 'F32'): Buffer {
  const bytesEach = bytesOf[dtype];
  if (bytesEach === undefined) throw new Error(`dtype must be one of ${Object.keys(bytesOf).join(', ')}, got ${dtype}`);
  let end = 0;
  const header = Object.entries(shapes).map(([name, shape]) => {
    const begin = end;
    end += shape.reduce((product, size) => product * size, bytesEach);
    return [name, { dtype, shape, data_offsets: [begin, end] }];
  });
  const text = Buffer.from(JSON.stringify(Object.fromEntries(header)));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, Buffer.alloc(end)]);
}
