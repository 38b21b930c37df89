// After the forward pass: which tokens a lane gets from its rows (docs/exactness.md, rules 2, 3 and 5).

import { EngineError, type TokenId } from '@tensorfold/protocol';
import type { NativeModel } from '../binding.ts';
import type { Draft } from '../draft/drafter.ts';
import type { Lane } from './lane.ts';

/** What a lane brings to a round: its next `known` tokens, then drafts. */
export interface LaneRows {
  readonly lane: Lane;
  /** Known tokens read in this round, from position `lane.computed` on. */
  readonly known: number;
  readonly draft: Draft;
}

/** Raised where a replayed token differs from the one already told: never, unless the contract is broken. */
export class ReplayMismatch extends EngineError {}

/**
 * Walks the lane's wanted rows in order. A row's token is drawn as a serial round would draw it (same rule, seed and
 * position), so a wrong draft costs time and nothing else; the rows below it read a token that was never written.
 * `firstWanted`: index of the lane's first wanted row among the logits. Moves `lane.computed`.
 */
export function acceptRows(model: NativeModel, rows: LaneRows, firstWanted: number, now: number): void {
  const { lane, known, draft } = rows;
  const start = lane.computed;
  const firstPosition = Math.max(start, lane.promptTokens - 1);
  const lengthBefore = lane.tokens.length;
  const end = start + known + draft.tokens.length;
  for (let position = firstPosition; position < end; position += 1) {
    const next = position + 1;
    const token = drawToken(model, lane, firstWanted + position - firstPosition, next);
    if (next < lane.tokens.length) {
      if (token === lane.tokens[next]) continue;
      throw new ReplayMismatch(`replay drew token ${token} at ${next}, first it was ${lane.tokens[next]}`);
    }
    if (lane.request.hashLogits === true) {
      lane.logitsHash = model.hashRow(firstWanted + position - firstPosition, lane.logitsHash);
    }
    lane.accept(token, now);
    if (lane.finish !== null || draft.tokens[next - lengthBefore] !== token) break;
  }
  const numNew = lane.tokens.length - lengthBefore;
  if (draft.tokens.length > 0) {
    const accepted = Math.min(
      draft.tokens.length,
      Math.max(0, numNew - 1) + (endsInDraft(lane, draft, numNew) ? 1 : 0),
    );
    lane.drafted += draft.tokens.length;
    lane.accepted += accepted;
    const judged = lane.finish === null ? draft.tokens.length : accepted;
    lane.depth.record(draft.kind, judged, accepted);
  }
  lane.computed = Math.min(end, lane.tokens.length - 1);
}

/** A reply that ended on a token that was also the draft: the draft was right, though no row followed it. */
function endsInDraft(lane: Lane, draft: Draft, numNew: number): boolean {
  return lane.finish !== null && numNew > 0 && draft.tokens[numNew - 1] === lane.tokens.at(-1);
}

/** The token at index `position` of prompt + reply, from the logits of the row before it. */
function drawToken(model: NativeModel, lane: Lane, wanted: number, position: number): TokenId {
  const constraint = lane.constraintAt(position);
  const step = constraint.next();
  if (step !== null && 'forced' in step) return step.forced;
  const { temperature, topK, topP, minP } = lane.request.sampling;
  const token = model.draw(wanted, temperature, topK, topP, minP, lane.seed, position, step?.mask ?? null);
  return constraint.replace(token);
}
