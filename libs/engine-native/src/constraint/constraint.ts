// What steers a reply inside its rounds (docs/exactness.md, rule 4): each a pure function of the reply's tokens so far.

import type { TokenId } from '@tensorfold/protocol';

/** What may come next. `mask`: one bit a token (word id >> 5, bit id & 31), set = allowed. */
export type Step = { readonly forced: TokenId } | { readonly mask: Uint32Array } | null;

export interface Constraint {
  /** The rule for the next token, after the tokens pushed so far. Called at most once a token; changes nothing. */
  next(): Step;
  /** The token that stands in place of `token`, which the model drew from this step: itself where it keeps the rule. */
  replace(token: TokenId): TokenId;
  /** Takes the reply's next token. */
  push(token: TokenId): void;
  /** Tokens that this constraint will force from here, as far as it knows: offered as drafts. */
  foreseen(): readonly TokenId[];
}

/** All constraints of a reply as one: the first that forces decides; masks are met together. */
export class ConstraintStack implements Constraint {
  private readonly constraints: readonly Constraint[];

  constructor(constraints: readonly Constraint[]) {
    this.constraints = constraints;
  }

  next(): Step {
    let mask: Uint32Array | null = null;
    for (const constraint of this.constraints) {
      const step = constraint.next();
      if (step === null) continue;
      if ('forced' in step) return step;
      mask = mask === null ? step.mask : intersect(mask, step.mask);
    }
    return mask === null ? null : { mask };
  }

  replace(token: TokenId): TokenId {
    return this.constraints.reduce((current, constraint) => constraint.replace(current), token);
  }

  push(token: TokenId): void {
    for (const constraint of this.constraints) constraint.push(token);
  }

  foreseen(): readonly TokenId[] {
    for (const constraint of this.constraints) {
      const tokens = constraint.foreseen();
      if (tokens.length > 0) return tokens;
    }
    return [];
  }
}

/** Allows what a fixed mask allows: ids that are no tokens (padding of the vocabulary) never come out. */
export class VocabularyMask implements Constraint {
  private readonly step: Step;

  constructor(mask: Uint32Array) {
    this.step = { mask };
  }

  next(): Step {
    return this.step;
  }

  replace(token: TokenId): TokenId {
    return token;
  }

  push(): void {}

  foreseen(): readonly TokenId[] {
    return [];
  }
}

function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  return a.map((word, index) => word & b[index]!);
}
