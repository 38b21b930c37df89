// An engine that takes part in a comparison.

import type { CellOrder } from './cells.ts';

export interface Contender {
  readonly name: string;
  /** From the start of loading to the first token; null where it is not known. */
  readonly firstTokenSeconds: number | null;
  /** The most memory it held so far, mapped files included; null where it is not known. */
  readonly peakRssBytes: number | null;
  /** One run. It sleeps before and after. */
  measure(order: CellOrder): Promise<Run>;
  close(): void;
}

export interface Run {
  readonly tokensPerSecond: number;
  /** Of the machine's CPU time, what processes other than this engine took meanwhile; null where it is not known. */
  readonly othersShare: number | null;
}
