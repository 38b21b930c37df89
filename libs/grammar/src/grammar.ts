// What a reply may be, as the engine will read it. Types only: structured output is refused with a 400 until it is built
// (apps/server/src/generation/structured-output.ts).

import type { TokenId } from '@tensorfold/protocol';

/** What a request asks its reply to match. */
export type GrammarSource =
  | { readonly type: 'json-schema'; readonly schema: unknown }
  | { readonly type: 'json-object' }
  | { readonly type: 'regex'; readonly pattern: string }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
  | { readonly type: 'ebnf'; readonly text: string };

/**
 * A place in a grammar after some tokens: one number, so that going back is forgetting numbers, and drafted, serial and
 * preempted replies cannot differ.
 */
export type GrammarState = number;

/** A compiled grammar over one vocabulary. Every answer is a pure function of the state. */
export interface CompiledGrammar {
  readonly start: GrammarState;
  /** The state after `token`, or null where the grammar forbids it. */
  advance(state: GrammarState, token: TokenId): GrammarState | null;
  /** One bit a token (word id >> 5, bit id & 31), set = allowed. The end token is allowed only where the value is complete. */
  mask(state: GrammarState): Uint32Array;
  /** Tokens that must come from here, as far as they are known: offered as drafts. */
  forced(state: GrammarState): readonly TokenId[];
}
