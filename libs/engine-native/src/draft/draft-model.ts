// A smaller checkpoint of the same tokenizer that reads along and guesses. It draws with the lane's own rule, seed and
// position, so a sampled reply is guessed as well as a greedy one: same noise, same choice where the two agree.

import type { GenerationRequest, TokenId } from '@tensorfold/protocol';
import type { NativeModel } from '../binding.ts';
import { commonLength, pageTokens } from '../scheduler/prefix-cache.ts';

/** What the draft model needs to know of a lane. */
export interface DraftReader {
  readonly id: number;
  /** Prompt and reply so far. */
  readonly tokens: readonly TokenId[];
  readonly seed: bigint;
  readonly request: Pick<GenerationRequest, 'sampling' | 'cacheSalt'>;
}

export interface DraftWish {
  readonly lane: DraftReader;
  /** Tokens to guess, at least 1. */
  readonly depth: number;
}

/** What was read for one text. */
interface Seat {
  readonly salt: string;
  readonly pages: number[];
  /** Tokens whose keys are in the pages, own guesses included. */
  readonly read: TokenId[];
}

/** Rows of a text that it catches up with in one round. */
const chunkTokens = 256;

export class DraftModel {
  private readonly model: NativeModel;
  private readonly seats = new Map<number, Seat>();
  /** Texts of ended replies, oldest first: a next turn goes on from them. */
  private readonly ended: Seat[] = [];
  private readonly freePages: number[];
  /** Ids that both models have: vocabularies may be padded to different sizes. */
  private readonly numCommonIds: number;

  constructor(model: NativeModel, numCommonIds: number) {
    this.model = model;
    this.numCommonIds = numCommonIds;
    this.freePages = Array.from({ length: model.numPages }, (_, page) => page);
  }

  /** Reads on in the lane's text, a chunk a call. True where it is all read but the last token: guesses may follow. */
  catchUp(lane: DraftReader): boolean {
    const seat = this.seatOf(lane);
    // Own guesses that were not taken.
    seat.read.length = commonLength(seat.read, lane.tokens, 0);
    const last = lane.tokens.length - 1;
    seat.read.length = Math.min(seat.read.length, last);
    const end = Math.min(last, seat.read.length + chunkTokens);
    if (end > seat.read.length) {
      const tokens = lane.tokens.slice(seat.read.length, end);
      if (tokens.some((token) => token >= this.numCommonIds) || !this.reserve(seat, end)) return false;
      this.forward([{ seat, tokens, wanted: false }]);
    }
    return end === last && lane.tokens[last]! < this.numCommonIds;
  }

  /** Guesses for lanes that have caught up, all lanes together a token at a time. A list may be shorter than wished. */
  propose(wishes: readonly DraftWish[]): TokenId[][] {
    const drafts = wishes.map((): TokenId[] => []);
    const deepest = Math.max(0, ...wishes.map(({ depth }) => depth));
    for (let step = 0; step < deepest; step += 1) {
      const turn = wishes.flatMap(({ lane, depth }, index) => {
        const seat = this.seats.get(lane.id)!;
        const draft = drafts[index]!;
        if (step >= depth || draft.length < step || !this.reserve(seat, lane.tokens.length + step)) return [];
        return [{ lane, seat, draft, token: step === 0 ? lane.tokens.at(-1)! : draft.at(-1)! }];
      });
      if (turn.length === 0) break;
      this.forward(turn.map(({ seat, token }) => ({ seat, tokens: [token], wanted: true })));
      turn.forEach(({ lane, draft }, index) => {
        const { temperature, topK, topP, minP } = lane.request.sampling;
        const position = lane.tokens.length + step;
        const token = this.model.draw(index, temperature, topK, topP, minP, lane.seed, position, null);
        if (token < this.numCommonIds) draft.push(token);
      });
    }
    return drafts;
  }

  /** The lane has ended; its text is kept as long as the pages are not needed. */
  release(id: number): void {
    const seat = this.seats.get(id);
    if (seat === undefined) return;
    this.seats.delete(id);
    this.ended.push(seat);
  }

  close(): void {
    this.model.close();
  }

  private seatOf(lane: DraftReader): Seat {
    let seat = this.seats.get(lane.id);
    if (seat === undefined) {
      seat = this.takeEnded(lane) ?? { salt: lane.request.cacheSalt, pages: [], read: [] };
      this.seats.set(lane.id, seat);
    }
    return seat;
  }

  /** The ended text that shares the longest beginning with the lane's, at least a page of it. */
  private takeEnded(lane: DraftReader): Seat | null {
    let best = -1;
    let longest = pageTokens - 1;
    this.ended.forEach((seat, index) => {
      const common = seat.salt === lane.request.cacheSalt ? commonLength(seat.read, lane.tokens, 0) : 0;
      if (common > longest) [best, longest] = [index, common];
    });
    return best < 0 ? null : this.ended.splice(best, 1)[0]!;
  }

  /** Pages for the first `length` positions; false where memory is out. */
  private reserve(seat: Seat, length: number): boolean {
    while (seat.pages.length * pageTokens < length) {
      while (this.freePages.length === 0 && this.ended.length > 0) this.freePages.push(...this.ended.shift()!.pages);
      const page = this.freePages.pop();
      if (page === undefined) return false;
      seat.pages.push(page);
    }
    return true;
  }

  private forward(parts: readonly { seat: Seat; tokens: readonly TokenId[]; wanted: boolean }[]): void {
    const numRows = parts.reduce((sum, { tokens }) => sum + tokens.length, 0);
    const tokens = new Int32Array(numRows);
    const positions = new Int32Array(numRows);
    const lanes = new Int32Array(numRows);
    const wanted: number[] = [];
    let row = 0;
    parts.forEach((part, lane) => {
      for (const token of part.tokens) {
        tokens[row] = token;
        positions[row] = part.seat.read.length;
        lanes[row] = lane;
        part.seat.read.push(token);
        row += 1;
      }
      if (part.wanted) wanted.push(row - 1);
    });
    this.model.forward({
      tokens,
      positions,
      lanes,
      pageTables: parts.map(({ seat }) => Int32Array.from(seat.pages)),
      wanted: Int32Array.from(wanted),
    });
  }
}
