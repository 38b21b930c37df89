// How many drafts a lane brings: what was accepted so far against what a row more costs. A speed policy, nothing else.

/** Kinds of drafts: 0 forced text, 1 to 4 prompt lookup by length of repetition, 5 a draft model. */
const firstRates = [0.98, 0.35, 0.6, 0.8, 0.9, 0.6];
export const draftModelKind = 5;
/** Weight of one verdict in a rate. */
const rateStep = 0.12;
/** Rounds without a draft after which one token is tried again, while the rate says no. */
const probeRounds = 48;

export const maxDraftTokens = 16;

export interface DepthChoice {
  /** Drafts to bring. */
  readonly depth: number;
  /** Tokens a second with them over tokens a second without, as expected. */
  readonly gain: number;
}

/** A lane's record. */
export class DraftDepth {
  private readonly rates = [...firstRates];
  private roundsWithout = 0;

  /** At most `limit` drafts. `cost(extra)`: time of a round with that many rows more, over one without them. */
  choose(kind: number, limit: number, cost: (extra: number) => number): DepthChoice {
    const rate = Math.min(0.99, this.rates[kind]!);
    let best = 0;
    let bestGain = 1;
    let expected = 1;
    let all = 1;
    for (let depth = 1; depth <= Math.min(limit, maxDraftTokens); depth += 1) {
      all *= rate;
      expected += all;
      const gain = expected / cost(depth);
      if (gain > bestGain * 1.02) {
        best = depth;
        bestGain = gain;
      }
    }
    if (best === 0 && limit > 0) {
      this.roundsWithout += 1;
      if (this.roundsWithout % probeRounds === 0) return { depth: 1, gain: 1 };
    }
    return { depth: best, gain: bestGain };
  }

  /** After a round: of `drafted` tokens the first `accepted` were right; the one after them, if any, was wrong. */
  record(kind: number, drafted: number, accepted: number): void {
    let rate = this.rates[kind]!;
    for (let index = 0; index < accepted; index += 1) rate += rateStep * (1 - rate);
    if (accepted < drafted) rate -= rateStep * rate;
    this.rates[kind] = rate;
  }
}

/** What a round costs by its number of rows, as measured. */
export class RoundCost {
  /** [rows] seconds, smoothed; 0 where never seen. */
  private readonly seconds = new Float64Array(maxRows + 1);

  record(rows: number, seconds: number): void {
    if (rows < 1 || rows > maxRows) return;
    const known = this.seconds[rows]!;
    this.seconds[rows] = known === 0 ? seconds : known + 0.1 * (Math.min(seconds, 4 * known) - known);
  }

  /** Seconds of a round of so many rows, or 0 where none has been seen. */
  secondsOf(rows: number): number {
    return this.seconds[Math.min(rows, maxRows)]!;
  }

  /** Time of a round of `rows + extra` rows over one of `rows`. */
  ratio(rows: number, extra: number): number {
    const base = this.seconds[Math.min(rows, maxRows)]!;
    const more = this.seconds[Math.min(rows + extra, maxRows)]!;
    if (base > 0 && more > 0) return Math.max(1, more / base);
    return (1 + slope * (rows + extra - 1)) / (1 + slope * (rows - 1));
  }
}

const maxRows = 64;
/** Cost of a row more, as a share of a round of one row, until measured: two cores, 8-bit weights. */
const slope = 0.2;
