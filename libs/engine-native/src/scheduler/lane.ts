// A running request's place in rounds: its tokens, its pages, what steers it, and what it has told.

import type { GenerationRequest, TokenId, TokenPiece } from '@tensorfold/protocol';
import type { Constraint } from '../constraint/constraint.ts';
import type { ReplyText } from '../constraint/stop.ts';
import { DraftDepth } from '../draft/depth.ts';
import type { Draft } from '../draft/drafter.ts';
import { PromptLookup } from '../draft/prompt-lookup.ts';
import { replySeed, tokenSha } from './keys.ts';
import type { LanePages } from './prefix-cache.ts';
import type { Finish } from './reports.ts';

export interface LaneParts {
  readonly id: number;
  readonly request: GenerationRequest;
  readonly endTokens: ReadonlySet<TokenId>;
  readonly newConstraint: () => Constraint;
  readonly text: ReplyText;
  readonly seedSalt: string;
  /** Seconds, of the scheduler's clock. */
  readonly now: number;
}

export class Lane {
  readonly id: number;
  readonly request: GenerationRequest;
  readonly tokens: TokenId[];
  readonly seed: bigint;
  readonly depth = new DraftDepth();
  /** Positions whose keys are in the pages: [0, computed). */
  computed = 0;
  /** null while the lane waits for memory or a place. */
  pages: LanePages | null = null;
  /** Rounds in which another prompt's chunk went first. */
  passedOver = 0;
  cachedTokens = 0;
  paused = false;
  cancelled = false;
  finish: { reason: 'stop' | 'length'; stopString: string | null } | null = null;

  readonly submitted: number;
  started = -1;
  firstToken = -1;
  rounds = 0;
  drafted = 0;
  accepted = 0;
  logitsHash = 0n;

  private readonly parts: LaneParts;
  private readonly constraint: Constraint;
  /** While a preempted lane replays: the same rules, fed with the tokens already told. */
  private replay: { constraint: Constraint; length: number } | null = null;
  private lookup: PromptLookup | null = null;
  private lookedUp = 0;

  constructor(parts: LaneParts) {
    this.parts = parts;
    this.id = parts.id;
    this.request = parts.request;
    this.tokens = [...parts.request.prompt];
    this.seed = parts.request.sampling.seed ?? replySeed(parts.request.prompt, parts.seedSalt);
    this.constraint = parts.newConstraint();
    this.submitted = parts.now;
  }

  get promptTokens(): number {
    return this.request.prompt.length;
  }

  get replyTokens(): number {
    return this.tokens.length - this.promptTokens;
  }

  /** Tokens that are known but not yet read; 1 while decoding. */
  get unread(): number {
    return this.tokens.length - this.computed;
  }

  get decoding(): boolean {
    return this.replyTokens > 0 && this.unread === 1;
  }

  get isBackground(): boolean {
    return this.request.priority === 'background';
  }

  /** The rule for the token at `position` (an index in prompt + reply): the last one, or one of a replay. */
  constraintAt(position: number): Constraint {
    if (position === this.tokens.length) return this.constraint;
    if (this.replay === null || this.replay.length > position) {
      this.replay = { constraint: this.parts.newConstraint(), length: this.promptTokens };
    }
    while (this.replay.length < position) {
      this.replay.constraint.push(this.tokens[this.replay.length]!);
      this.replay.length += 1;
    }
    return this.replay.constraint;
  }

  /** Takes the reply's next token; sets `finish` where it ends the reply. */
  accept(token: TokenId, now: number): void {
    if (this.firstToken < 0) this.firstToken = now;
    this.tokens.push(token);
    this.constraint.push(token);
    this.replay = null;
    const stopped = this.parts.text.push(token);
    if (stopped) this.finish = { reason: 'stop', stopString: this.parts.text.stopString };
    else if (this.parts.endTokens.has(token) && !this.request.ignoreEos)
      this.finish = { reason: 'stop', stopString: null };
    else if (this.replyTokens >= this.request.maxTokens) this.finish = { reason: 'length', stopString: null };
  }

  /** Text that may be told now. */
  release(): TokenPiece[] {
    return this.parts.text.release(this.finish !== null);
  }

  /** Tokens that may come next, at most `limit`. */
  propose(limit: number): Draft {
    const foreseen = this.constraint.foreseen();
    if (foreseen.length > 0) return { tokens: foreseen.slice(0, limit), kind: 0 };
    this.lookup ??= new PromptLookup();
    for (; this.lookedUp < this.tokens.length; this.lookedUp += 1) this.lookup.push(this.tokens[this.lookedUp]!);
    return this.lookup.propose(limit);
  }

  /** The finish event's content. Only once `finish` is set. */
  report(now: number): Finish {
    const first = this.firstToken < 0 ? now : this.firstToken;
    return {
      reason: this.finish!.reason,
      stopString: this.finish!.stopString,
      stats: {
        promptTokens: this.promptTokens,
        cachedTokens: this.cachedTokens,
        completionTokens: this.replyTokens,
        prefillSeconds: first - (this.started < 0 ? first : this.started),
        decodeSeconds: now - first,
        firstTokenSeconds: first - this.submitted,
        rounds: this.rounds,
        draftedTokens: this.drafted,
        acceptedTokens: this.accepted,
        tokenSha: tokenSha(this.tokens.slice(this.promptTokens)),
        logitsHash: this.request.hashLogits === true ? this.logitsHash.toString(16).padStart(16, '0') : null,
      },
    };
  }
}
