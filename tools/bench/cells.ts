// What is measured, the same for every engine.

export interface Cell {
  readonly name: string;
  readonly kind: 'decode' | 'prefill';
  /** Lanes of a decode cell, prompt tokens of a prefill cell. */
  readonly size: number;
}

/** Tokens of each lane's prompt in a decode cell, and those drawn after its first. Together one KV page of ours. */
export const decodePrompt = 16;
export const decodeTokens = 48;
/** Rows of one pass over a prompt. */
export const chunkRows = 512;
export const longestPrompt = 2048;

export const cells: readonly Cell[] = [
  ...[1, 4, 8, 16].map((size): Cell => ({ name: `decode-${size}`, kind: 'decode', size })),
  ...[128, 512, longestPrompt].map((size): Cell => ({ name: `prefill-${size}`, kind: 'prefill', size })),
];

/** Told to a child: measure this once. */
export interface CellOrder {
  readonly cell: Cell;
  readonly seed: number;
}

/** What a child says: once `ready`, then one of the others for each order. */
export type ChildMessage =
  | {
      readonly type: 'ready';
      readonly name: string;
      /** From the start of loading to the first token of a 16-token prompt. */
      readonly firstTokenSeconds: number;
      readonly peakRssBytes: number;
    }
  | {
      readonly type: 'rate';
      readonly tokensPerSecond: number;
      readonly peakRssBytes: number;
      /** Of all its threads, since the order came. */
      readonly cpuSeconds: number;
    }
  | { readonly type: 'error'; readonly message: string };

/** Ids of a prompt that every engine reads. */
export function promptOf(seed: number, length: number, vocabSize: number): number[] {
  let state = (seed * 2_654_435_761 + 97) >>> 0;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 64 + ((state >>> 8) % Math.min(vocabSize - 128, 30_000));
  });
}

/** Answers orders until the parent goes. */
export function serveCells(
  name: string,
  firstTokenSeconds: number,
  measure: (order: CellOrder) => Promise<number>,
): void {
  const say = (message: ChildMessage) => process.send!(message);
  const peakRssBytes = () => process.resourceUsage().maxRSS * 1024;
  process.on('message', (order: CellOrder) => {
    const cpuBefore = process.cpuUsage();
    const cpuSeconds = () => {
      const { user, system } = process.cpuUsage(cpuBefore);
      return (user + system) / 1e6;
    };
    measure(order).then(
      (tokensPerSecond) =>
        say({ type: 'rate', tokensPerSecond, peakRssBytes: peakRssBytes(), cpuSeconds: cpuSeconds() }),
      (error: Error) => say({ type: 'error', message: error.message }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  say({ type: 'ready', name, firstTokenSeconds, peakRssBytes: peakRssBytes() });
}
