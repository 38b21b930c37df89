// What is measured, the same for both sides.

export interface Cell {
  readonly name: string;
  readonly kind: 'decode' | 'prefill';
  /** Lanes of a decode cell, prompt tokens of a prefill cell. */
  readonly size: number;
}

/** Tokens of each lane's prompt in a decode cell, and those drawn after its first. */
export const decodePrompt = 16;
export const decodeTokens = 32;
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
  | { readonly type: 'ready'; readonly name: string }
  | { readonly type: 'rate'; readonly tokensPerSecond: number }
  | { readonly type: 'error'; readonly message: string };

/** Ids of a prompt that both sides read. */
export function promptOf(seed: number, length: number, vocabSize: number): number[] {
  let state = (seed * 2_654_435_761 + 97) >>> 0;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 64 + ((state >>> 8) % Math.min(vocabSize - 128, 30_000));
  });
}

/** Answers orders until the parent goes. */
export function serveCells(name: string, measure: (order: CellOrder) => Promise<number>): void {
  const say = (message: ChildMessage) => process.send!(message);
  process.on('message', (order: CellOrder) => {
    measure(order).then(
      (tokensPerSecond) => say({ type: 'rate', tokensPerSecond }),
      (error: Error) => say({ type: 'error', message: error.message }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  say({ type: 'ready', name });
}
