// GGUF's tensor types (docs/formats.md): how many values a block holds, and in how many bytes.

export interface TensorType {
  readonly name: string;
  readonly valuesPerBlock: number;
  readonly bytesPerBlock: number;
  /** The engine computes with it. */
  readonly supported: boolean;
}

const list: readonly (readonly [id: number, name: string, values: number, bytes: number, supported?: boolean])[] = [
  [0, 'F32', 1, 4, true],
  [1, 'F16', 1, 2, true],
  [2, 'Q4_0', 32, 18, true],
  [3, 'Q4_1', 32, 20, true],
  [6, 'Q5_0', 32, 22, true],
  [7, 'Q5_1', 32, 24, true],
  [8, 'Q8_0', 32, 34, true],
  [9, 'Q8_1', 32, 36],
  [10, 'Q2_K', 256, 84, true],
  [11, 'Q3_K', 256, 110, true],
  [12, 'Q4_K', 256, 144, true],
  [13, 'Q5_K', 256, 176, true],
  [14, 'Q6_K', 256, 210, true],
  [15, 'Q8_K', 256, 292],
  [16, 'IQ2_XXS', 256, 66],
  [17, 'IQ2_XS', 256, 74],
  [18, 'IQ3_XXS', 256, 98],
  [19, 'IQ1_S', 256, 50],
  [20, 'IQ4_NL', 32, 18, true],
  [21, 'IQ3_S', 256, 110],
  [22, 'IQ2_S', 256, 82],
  [23, 'IQ4_XS', 256, 136],
  [24, 'I8', 1, 1],
  [25, 'I16', 1, 2],
  [26, 'I32', 1, 4],
  [27, 'I64', 1, 8],
  [28, 'F64', 1, 8],
  [29, 'IQ1_M', 256, 56],
  [30, 'BF16', 1, 2, true],
  [34, 'TQ1_0', 256, 54],
  [35, 'TQ2_0', 256, 66],
  [39, 'MXFP4', 32, 17, true],
  [40, 'NVFP4', 64, 36],
];

/** By GGUF's id. */
export const tensorTypes: ReadonlyMap<number, TensorType> = new Map(
  list.map(([id, name, valuesPerBlock, bytesPerBlock, supported]) => [
    id,
    { name, valuesPerBlock, bytesPerBlock, supported: supported === true },
  ]),
);

export const supportedTypeNames: readonly string[] = list.filter((entry) => entry[4] === true).map((entry) => entry[1]);

/** The id of a type name. Throws an Error on an unknown one. */
export function tensorTypeId(name: string): number {
  const entry = list.find((candidate) => candidate[1] === name);
  if (entry === undefined)
    throw new Error(`unknown tensor type ${name}; known: ${list.map((row) => row[1]).join(', ')}`);
  return entry[0];
}

/** e.g. `Q4_K`, or `type 99`. */
export function tensorTypeName(id: number): string {
  return tensorTypes.get(id)?.name ?? `type ${id}`;
}
