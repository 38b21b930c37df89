// Drafts from the text itself: where its last tokens stood before, what followed then may follow now.

import type { TokenId } from '@tensorfold/protocol';
import { type Draft, noDraft } from './drafter.ts';

/** Shortest repetition that is worth a draft, in tokens. */
const gramTokens = 3;
/** Earlier places looked at for the longest repetition. */
const maxPlaces = 8;
/** Lengths of repetition from which a draft is of kind 1, 2, 3. */
const kindLengths = [6, 12, 24];

/** One lane's index of prompt and reply. */
export class PromptLookup {
  private tokens: TokenId[] = [];
  /** Hash of the gram that ends before a position -> the latest such position. */
  private readonly latest = new Map<number, number>();
  /** [position] the place before it with the same hash, or 0. */
  private readonly previous: number[] = [];

  push(token: TokenId): void {
    this.tokens.push(token);
    const end = this.tokens.length;
    if (end < gramTokens) return;
    const hash = this.hashBefore(end);
    this.previous[end] = this.latest.get(hash) ?? 0;
    this.latest.set(hash, end);
  }

  /** At most `limit` tokens that followed the longest earlier repetition of the text's end. */
  propose(limit: number): Draft {
    const end = this.tokens.length;
    if (end <= gramTokens || limit < 1) return noDraft;
    let best = 0;
    let length = 0;
    let place = this.previous[end] ?? 0;
    for (let tried = 0; place > 0 && tried < maxPlaces; tried += 1) {
      const common = this.commonBefore(place, end);
      if (common > length) {
        best = place;
        length = common;
      }
      place = this.previous[place] ?? 0;
    }
    if (length < gramTokens) return noDraft;
    // Past the end the text would repeat itself with this period.
    const period = end - best;
    const tokens: TokenId[] = [];
    for (let index = 0; index < limit; index += 1) {
      const at = best + index;
      tokens.push(at < end ? this.tokens[at]! : tokens[index - period]!);
    }
    return { tokens, kind: 1 + kindLengths.filter((least) => length >= least).length };
  }

  private hashBefore(end: number): number {
    let hash = 0;
    for (let at = end - gramTokens; at < end; at += 1) hash = (Math.imul(hash, 1000003) + this.tokens[at]!) | 0;
    return hash;
  }

  /** Length of the longest common run that ends before both positions, up to the longest kind. */
  private commonBefore(a: number, b: number): number {
    let length = 0;
    while (
      length < kindLengths.at(-1)! &&
      a - length > 0 &&
      this.tokens[a - length - 1] === this.tokens[b - length - 1]
    ) {
      length += 1;
    }
    return length;
  }
}
