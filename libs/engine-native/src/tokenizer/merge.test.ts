import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeSymbols, PairTable, type Pairs } from './merge.ts';

/** The rule as it is written: lowest rank, leftmost, again and again. */
function mergeSlowly(symbols: readonly number[], pairs: Pairs): number[] {
  const list = [...symbols];
  for (;;) {
    let best = -1;
    let bestSlot = -1;
    for (let i = 0; i + 1 < list.length; i += 1) {
      const slot = pairs.find(list[i]!, list[i + 1]!);
      if (slot >= 0 && (bestSlot < 0 || pairs.ranks[slot]! < pairs.ranks[bestSlot]!)) [best, bestSlot] = [i, slot];
    }
    if (best < 0) return list;
    list.splice(best, 2, pairs.results[bestSlot]!);
  }
}

/** Merges over four letters; each makes a new symbol of two known ones. */
const tables = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 }).map((choices) => {
  const table = new PairTable(choices.length);
  choices.forEach(([left, right], rank) => table.add(left % (4 + rank), right % (4 + rank), rank, 4 + rank));
  return table;
});

test.each([
  ['short', 40],
  ['long', 300],
])('merging a %s piece gives what the rule gives', (_, maxLength) => {
  fc.assert(
    fc.property(tables, fc.array(fc.nat(3), { maxLength }), (table, symbols) => {
      const list = Int32Array.from(symbols);
      const length = mergeSymbols(list, list.length, table);
      expect(Array.from(list.subarray(0, length))).toEqual(mergeSlowly(symbols, table));
    }),
  );
});

test('equal ranks go left to right', () => {
  const table = new PairTable(1);
  table.add(1, 1, 0, 2);
  const list = Int32Array.from({ length: 101 }, () => 1);
  const length = mergeSymbols(list, 101, table);
  expect(Array.from(list.subarray(0, length))).toEqual([...Array.from({ length: 50 }, () => 2), 1]);
});
