// Ours and the peer on one file, run by run in turn.

import { basename } from 'node:path';
import type { Cell } from './cells.ts';
import { installPeer, peerName } from './install-peer.ts';
import { median, show, showRange, tableOf } from './numbers.ts';
import { Side } from './side.ts';

export interface CompareOptions {
  readonly cells: readonly Cell[];
  readonly threads: number;
  readonly reps: number;
  readonly peer: boolean;
}

export interface CellResult {
  readonly model: string;
  readonly cell: string;
  /** Tokens per second, run by run. */
  readonly ours: readonly number[];
  readonly peer: readonly number[];
  /** Of the medians, and of each pair of neighbouring runs; null without a peer. */
  readonly ratio: number | null;
  readonly pairRatios: readonly number[];
}

export async function compare(path: string, options: CompareOptions): Promise<CellResult[]> {
  const sides: Side[] = [];
  try {
    sides.push(await Side.start('ours-child.ts', [path, String(options.threads)]));
    if (options.peer) sides.push(await Side.start('peer-child.ts', [path, String(options.threads), installPeer()]));
    console.error(`${basename(path)}: ${sides.map((side) => side.name).join(', ')}`);
    const results: CellResult[] = [];
    for (const cell of options.cells) results.push(await measureCell(basename(path), cell, sides, options.reps));
    return results;
  } finally {
    for (const side of sides) side.close();
  }
}

/** A run of each that does not count, then A B A B. */
async function measureCell(model: string, cell: Cell, sides: readonly Side[], reps: number): Promise<CellResult> {
  const rates: number[][] = sides.map(() => []);
  for (let rep = -1; rep < reps; rep += 1) {
    for (const [index, side] of sides.entries()) {
      const rate = await side.measure({ cell, seed: 100 * (rep + 2) });
      if (rep >= 0) rates[index]!.push(rate);
    }
  }
  const [ours = [], peer = []] = rates;
  const pairRatios = peer.map((rate, rep) => ours[rep]! / rate);
  return {
    model,
    cell: cell.name,
    ours,
    peer,
    ratio: peer.length > 0 ? median(ours) / median(peer) : null,
    pairRatios,
  };
}

export function compareTable(results: readonly CellResult[]): string {
  return tableOf(
    ['cell', 'ours tok/s', `${peerName} tok/s`, 'ratio', 'min..max of pairs'],
    results.map(({ cell, ours, peer, ratio, pairRatios }) => [
      cell,
      show(median(ours)),
      ratio === null ? '-' : show(median(peer)),
      ratio === null ? '-' : ratio.toFixed(2),
      ratio === null ? '-' : showRange(pairRatios),
    ]),
  );
}
