// Block formats: bytes to values, bit for bit (goldens/README.md, "quants.json").

import { statSync } from 'node:fs';
import { addon } from '../../libs/engine-native/src/binding.ts';
import { tensorTypes } from '../../libs/engine-native/src/checkpoint/tensor-types.ts';
import { goldensIn, readGolden } from './files.ts';
import { Difference, type Report } from './report.ts';

interface Blocks {
  readonly blocks: string;
  readonly values: readonly number[];
}

interface QuantGolden {
  readonly types: Readonly<
    Record<string, { readonly type_id: number } & Readonly<Record<string, Blocks | number | boolean>>>
  >;
}

const form = { file: 'quants.json', keys: ['types'] };

export function checkQuants(path: string, report: Report): void {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const files = isFile
    ? [readGolden<QuantGolden>(path, form.keys, report)]
    : goldensIn<QuantGolden>(path, form, report).map(({ data }) => data);
  for (const file of files) {
    for (const [name, golden] of Object.entries(file?.types ?? {})) {
      const sets = Object.entries(golden).filter((entry): entry is [string, Blocks] => isBlocks(entry[1]));
      if (tensorTypes.get(golden.type_id)?.supported !== true) {
        report.skip(name, 'the type is not supported yet');
        continue;
      }
      report.run(name, () => {
        for (const [set, blocks] of sets) checkBlocks(golden.type_id, set, blocks);
        return `${sets.reduce((sum, [, blocks]) => sum + blocks.values.length, 0)} values, largest error 0`;
      });
    }
  }
}

function isBlocks(value: unknown): value is Blocks {
  return typeof value === 'object' && value !== null && 'blocks' in value && 'values' in value;
}

function checkBlocks(type: number, set: string, { blocks, values }: Blocks): void {
  const ours = addon().dequantize(type, Buffer.from(blocks, 'base64'));
  if (ours.length !== values.length) throw new Difference(`${set}: ${ours.length} values, expected ${values.length}`);
  const expected = Float32Array.from(values);
  const [mine, theirs] = [ours, expected].map((list) => new Uint32Array(list.buffer, list.byteOffset, list.length)) as [
    Uint32Array,
    Uint32Array,
  ];
  const at = mine.findIndex((bits, i) => bits !== theirs[i]);
  if (at < 0) return;
  let largest = 0;
  ours.forEach((value, i) => (largest = Math.max(largest, Math.abs(value - expected[i]!))));
  throw new Difference(
    `${set}: value ${at} is ${ours[at]}, expected ${expected[at]}`,
    `largest error ${largest.toExponential(2)}`,
  );
}
