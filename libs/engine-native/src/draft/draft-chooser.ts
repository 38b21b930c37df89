// Which drafts a round brings: forced text and prompt lookup where they promise most, a draft model's guesses else.

import type { Lane } from '../scheduler/lane.ts';
import { draftModelKind, maxDraftTokens, type RoundCost } from './depth.ts';
import type { DraftModel } from './draft-model.ts';
import { type Draft, noDraft } from './drafter.ts';

/** Time of one guess over that of a round, until measured. */
const firstGuessShare = 0.25;

export class DraftChooser {
  private readonly cost: RoundCost;
  private readonly now: () => number;
  private model: DraftModel | null;
  /** Seconds of one guess of all lanes, smoothed; 0 where never seen. */
  private guessSeconds = 0;

  constructor(cost: RoundCost, now: () => number, model: DraftModel | null) {
    this.cost = cost;
    this.now = now;
    this.model = model;
  }

  /** A draft for each lane, which all are decoding. */
  choose(lanes: readonly Lane[]): Draft[] {
    let numRows = lanes.length;
    const wishes: { lane: Lane; index: number; depth: number }[] = [];
    const drafts = lanes.map((lane, index): Draft => {
      const limit = Math.min(maxDraftTokens, lane.request.maxTokens - lane.replyTokens - 1);
      if (!lane.request.draft || limit < 1) return noDraft;
      const cost = (extra: number) => this.cost.ratio(numRows, extra);
      const known = lane.propose(limit);
      const length = known.tokens.length;
      const choice = length === 0 ? { depth: 0, gain: 1 } : lane.depth.choose(known.kind, length, cost);
      if (this.model !== null) {
        const share = this.guessShare(numRows);
        const guessed = lane.depth.choose(draftModelKind, limit, (extra) => cost(extra) + share * extra);
        if (guessed.depth > 0 && guessed.gain > choice.gain) {
          wishes.push({ lane, index, depth: guessed.depth });
          numRows += guessed.depth;
          return noDraft;
        }
      }
      numRows += choice.depth;
      return choice.depth === 0 ? noDraft : { tokens: known.tokens.slice(0, choice.depth), kind: known.kind };
    });
    this.guess(wishes, drafts);
    return drafts;
  }

  /** The lane has ended. */
  release(lane: Lane): void {
    this.model?.release(lane.id);
  }

  private guess(wishes: readonly { lane: Lane; index: number; depth: number }[], drafts: Draft[]): void {
    const { model } = this;
    if (model === null || wishes.length === 0) return;
    try {
      const ready = wishes.filter(({ lane }) => model.catchUp(lane));
      const begin = this.now();
      model.propose(ready).forEach((tokens, i) => {
        if (tokens.length > 0) drafts[ready[i]!.index] = { tokens, kind: draftModelKind };
      });
      const steps = Math.max(0, ...ready.map(({ depth }) => depth));
      if (steps === 0) return;
      const seconds = (this.now() - begin) / steps;
      this.guessSeconds = this.guessSeconds === 0 ? seconds : this.guessSeconds + 0.1 * (seconds - this.guessSeconds);
    } catch (error) {
      // Guesses are for speed only: replies go on without them.
      this.model = null;
      process.emitWarning(`the draft model failed and is off: ${(error as Error).message}`);
    }
  }

  private guessShare(numRows: number): number {
    const round = this.cost.secondsOf(numRows);
    return this.guessSeconds > 0 && round > 0 ? this.guessSeconds / round : firstGuessShare;
  }
}
