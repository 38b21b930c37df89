// One round: the lanes' rows through one forward pass, and what each lane gets from it. A lane whose rows fail ends by
// itself; the others are run again without it, and their bits do not change.

import type { NativeModel } from '../binding.ts';
import { acceptRows, type LaneRows, ReplayMismatch } from './accept.ts';
import type { Lane } from './lane.ts';

export interface RoundOutcome {
  /** Lanes whose rows failed, and why. */
  readonly failed: readonly { readonly lane: Lane; readonly message: string; readonly mismatch: boolean }[];
  readonly numRows: number;
}

/** Every lane has pages for its rows. `now`: seconds, asked once the pass is done. */
export function runRound(model: NativeModel, lanes: readonly LaneRows[], now: () => number): RoundOutcome {
  const failed: { lane: Lane; message: string; mismatch: boolean }[] = [];
  const run = (some: readonly LaneRows[]) => {
    const firstWanted = forwardRows(model, some);
    const time = now();
    some.forEach((rows, index) => {
      rows.lane.rounds += 1;
      try {
        acceptRows(model, rows, firstWanted[index]!, time);
      } catch (error) {
        failed.push({
          lane: rows.lane,
          message: (error as Error).message,
          mismatch: error instanceof ReplayMismatch,
        });
      }
    });
  };
  try {
    run(lanes);
  } catch (error) {
    if (lanes.length === 1) {
      failed.push({ lane: lanes[0]!.lane, message: (error as Error).message, mismatch: false });
    } else {
      for (const rows of lanes) {
        const alone = runRound(model, [rows], now);
        failed.push(...alone.failed);
      }
    }
  }
  return { failed, numRows: lanes.reduce((sum, rows) => sum + rows.known + rows.draft.tokens.length, 0) };
}

/** Returns, for each lane, the index of its first wanted row among the logits. */
function forwardRows(model: NativeModel, lanes: readonly LaneRows[]): number[] {
  const numRows = lanes.reduce((sum, rows) => sum + rows.known + rows.draft.tokens.length, 0);
  const tokens = new Int32Array(numRows);
  const positions = new Int32Array(numRows);
  const laneOf = new Int32Array(numRows);
  const wanted: number[] = [];
  const firstWanted: number[] = [];
  let row = 0;
  lanes.forEach(({ lane, known, draft }, index) => {
    firstWanted.push(wanted.length);
    for (let offset = 0; offset < known + draft.tokens.length; offset += 1, row += 1) {
      const position = lane.computed + offset;
      tokens[row] = offset < known ? lane.tokens[position]! : draft.tokens[offset - known]!;
      positions[row] = position;
      laneOf[row] = index;
      if (position >= lane.promptTokens - 1) wanted.push(row);
    }
  });
  model.forward({
    tokens,
    positions,
    lanes: laneOf,
    pageTables: lanes.map(({ lane }) => Int32Array.from(lane.pages!.table)),
    wanted: Int32Array.from(wanted),
  });
  return firstWanted;
}
