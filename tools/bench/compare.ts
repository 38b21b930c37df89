// Ours and its peers on one file, run by run in turn.

import { basename } from 'node:path';
import { BinPeer } from './bin-peer.ts';
import type { Cell } from './cells.ts';
import type { Contender, Run } from './contender.ts';
import { installPeer } from './install-peer.ts';
import { median, show, showRange, tableOf } from './numbers.ts';
import { Side } from './side.ts';

/** A spinning thread barrier slows many times over when a core is taken; below this it was not seen to. */
const noisyShare = 0.08;
const triesPerRun = 3;

export interface CompareOptions {
  readonly cells: readonly Cell[];
  readonly threads: number;
  readonly reps: number;
  /** node-llama-cpp takes part. */
  readonly peer: boolean;
  /** Another peer's llama-bench, or its folder. */
  readonly peerBin: string | null;
  readonly peerArgs: readonly string[];
}

export interface EngineResult {
  readonly name: string;
  readonly firstTokenSeconds: number | null;
  readonly peakRssBytes: number | null;
  /** By cell: tokens per second, run by run. */
  readonly rates: Readonly<Record<string, readonly number[]>>;
  /** Median share of the machine that processes other than this engine took during its runs. */
  readonly othersShare: number | null;
}

export interface ModelResult {
  readonly model: string;
  /** Ours first. */
  readonly engines: readonly EngineResult[];
}

export interface Ratio {
  /** Of the medians. */
  readonly value: number;
  /** Of each run of ours and the run of the peer beside it. */
  readonly low: number;
  readonly high: number;
}

export async function compare(path: string, options: CompareOptions): Promise<ModelResult> {
  const { threads, peerBin, peerArgs } = options;
  const contenders: Contender[] = [];
  try {
    contenders.push(await Side.start('ours-child.ts', [path, String(threads)]));
    if (options.peer) contenders.push(await Side.start('peer-child.ts', [path, String(threads), installPeer()]));
    if (peerBin !== null) contenders.push(new BinPeer({ path: peerBin, args: peerArgs, threads, model: path }));
    const rates = contenders.map((): Record<string, number[]> => ({}));
    const shares = contenders.map((): number[] => []);
    for (const cell of options.cells) {
      console.error(`${basename(path)}: ${cell.name}`);
      const measured = await measureCell(cell, contenders, options.reps);
      for (const [index, runs] of measured.entries()) {
        rates[index]![cell.name] = runs.map((run) => run.tokensPerSecond);
        shares[index]!.push(...runs.flatMap(({ othersShare }) => othersShare ?? []));
      }
    }
    const engines = contenders.map(({ name, firstTokenSeconds, peakRssBytes }, index) => ({
      name,
      firstTokenSeconds,
      peakRssBytes,
      rates: rates[index]!,
      othersShare: shares[index]!.length > 0 ? median(shares[index]!) : null,
    }));
    return { model: basename(path), engines };
  } finally {
    for (const contender of contenders) contender.close();
  }
}

/**
 * A run of each that does not count, then A B A B. A round of runs in which other processes took a share of the machine is
 * measured again, as long as there are tries left; the quietest rounds count.
 */
async function measureCell(cell: Cell, contenders: readonly Contender[], reps: number): Promise<Run[][]> {
  const rounds: Run[][] = [];
  const quietRounds = () => rounds.filter((round) => disturbanceOf(round) < noisyShare).length;
  for (let rep = -1; rep < triesPerRun * reps && quietRounds() < reps; rep += 1) {
    const round: Run[] = [];
    for (const contender of contenders) round.push(await contender.measure({ cell, seed: 100 * (rep + 2) }));
    if (rep >= 0) rounds.push(round);
  }
  const chosen = new Set([...rounds].sort((a, b) => disturbanceOf(a) - disturbanceOf(b)).slice(0, reps));
  const counted = rounds.filter((round) => chosen.has(round));
  return contenders.map((_, index) => counted.map((round) => round[index]!));
}

/** The largest share of the machine that others took during a round's runs. */
function disturbanceOf(round: readonly Run[]): number {
  return Math.max(...round.map(({ othersShare }) => othersShare ?? 0));
}

/** What to know before the numbers are quoted; '' if nothing. */
export function warningOf({ engines }: ModelResult): string {
  const share = Math.max(...engines.map((engine) => engine.othersShare ?? 0));
  if (share < noisyShare) return '';
  return `other processes took ${Math.round(100 * share)} % of the machine: measure again when it is quiet`;
}

export function ratioOf(ours: readonly number[], peer: readonly number[]): Ratio {
  const pairs = ours.map((rate, rep) => rate / peer[rep]!);
  return { value: median(ours) / median(peer), low: Math.min(...pairs), high: Math.max(...pairs) };
}

/** A row an engine: medians of tokens per second; then a row of ratios and one of their spread for each peer. */
export function compareTable({ engines }: ModelResult, cells: readonly Cell[]): string {
  const [ours, ...peers] = engines as [EngineResult, ...EngineResult[]];
  const orDash = (value: number | null, text: (value: number) => string) => (value === null ? '-' : text(value));
  const engineRows = engines.map(({ name, rates, firstTokenSeconds, peakRssBytes }) => [
    name,
    ...cells.map((cell) => show(median(rates[cell.name]!))),
    orDash(firstTokenSeconds, (seconds) => `${seconds.toFixed(2)} s`),
    orDash(peakRssBytes, (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`),
  ]);
  const ratioRows = peers.flatMap((peer) => {
    const ratios = cells.map((cell) => ratioOf(ours.rates[cell.name]!, peer.rates[cell.name]!));
    return [
      [`ours / ${peer.name}`, ...ratios.map(({ value }) => value.toFixed(2)), '', ''],
      ['  pairs, min..max', ...ratios.map(({ low, high }) => showRange([low, high])), '', ''],
    ];
  });
  return tableOf(
    ['tokens/s', ...cells.map((cell) => cell.name), 'first token', 'peak memory'],
    [...engineRows, ...ratioRows],
  );
}
