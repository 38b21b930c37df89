// The values that cross rooms on the path of a request, in the order they appear (docs/architecture.md, "the path").

export type TokenId = number;

/** Text of a rendered prompt. Only `template` text may become control tokens; `caller` text is always plain text. */
export interface PromptPiece {
  readonly text: string;
  readonly source: 'template' | 'caller';
}

/** How a token is drawn from a row of logits (docs/exactness.md, rule 2). */
export interface SamplingSettings {
  /** >= 0; 0 takes the largest logit. */
  readonly temperature: number;
  /** (0, 1]; 1 keeps all. 0 keeps the likeliest token. */
  readonly topP: number;
  /** Keeps the first k; <= 0 keeps all. */
  readonly topK: number;
  /** [0, 1]; 0 is off. */
  readonly minP: number;
  /** 64 bits; null derives the key from the prompt. */
  readonly seed: bigint | null;
}

/** Token-level limits on thinking. The engine knows ids only; the family's text names them. */
export interface ThinkingSettings {
  /** The prompt already opened the think block. */
  readonly startsOpen: boolean;
  readonly openId: TokenId | null;
  readonly closeId: TokenId;
  /** The budget-th token of the reply, while still thinking, is replaced by `closeIds`; 0 is no limit. */
  readonly budgetTokens: number;
  /** A newline, the closing marker and a blank line, as ids. */
  readonly closeIds: readonly TokenId[];
}

/** Forces the answer to open a call to one of the offered tools (rule 4: depends on the reply's tokens only). */
export interface ForcedToolCall {
  /** Text from the opener through the last character before the tool's name, e.g. `<tool_call>\n{"name": "`. */
  readonly opener: readonly PromptPiece[];
  readonly names: readonly string[];
  /** Text that ends a name, e.g. `"`. */
  readonly nameEnd: string;
}

/** What the engine is asked to do: tokens in, tokens out. */
export interface GenerationRequest {
  readonly prompt: readonly TokenId[];
  /** >= 1; prompt + maxTokens must fit the window. */
  readonly maxTokens: number;
  readonly sampling: SamplingSettings;
  /** Non-empty strings; the reply ends with the token that completes the first match, the text before it. */
  readonly stop: readonly string[];
  readonly ignoreEos: boolean;
  /** false: one token a round, the serial reference. */
  readonly draft: boolean;
  readonly priority: 'foreground' | 'background';
  /** Separates tenants in the prefix cache; equal salts share. */
  readonly cacheSalt: string;
  /** Also hash the logits that each token is drawn from (ReplyStats.logitsHash): for `tf verify`. Costs time. */
  readonly hashLogits?: boolean;
  readonly thinking: ThinkingSettings | null;
  readonly forcedToolCall: ForcedToolCall | null;
}

export type FinishReason = 'stop' | 'length';

export interface TokenPiece {
  /** The token, or null for more text of tokens already delivered (text once held back). */
  readonly id: TokenId | null;
  /**
   * What this piece adds to the reply's text. Whole characters only; '' where a character is incomplete or the text is
   * held back as the possible start of a stop string. Added tokens (`<think>`) carry their literal text, are never cut
   * and never share a piece with other text; control tokens carry ''.
   */
  readonly text: string;
}

/** Counters of one finished reply. Times in seconds. */
export interface ReplyStats {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly prefillSeconds: number;
  readonly decodeSeconds: number;
  /** From submit to the first token. */
  readonly firstTokenSeconds: number;
  readonly rounds: number;
  readonly draftedTokens: number;
  readonly acceptedTokens: number;
  /** First 12 hex digits of SHA-256 over the reply's decimal token ids joined by commas. */
  readonly tokenSha: string;
  /** 16 hex digits over the bits of all logits that tokens were drawn from, where the request asked for it. */
  readonly logitsHash: string | null;
}

/** What the engine says of a reply: any number of `tokens`, then exactly one `finish`. Errors are thrown. */
export type TokenEvent =
  | { readonly type: 'tokens'; readonly pieces: readonly TokenPiece[] }
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      /** The stop string that ended the reply, else null. */
      readonly stopString: string | null;
      readonly stats: ReplyStats;
    };

/** What a reply says, in order: any number of deltas, then one `finish`. Both wire forms fold these. */
export type OutputEvent =
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | { readonly type: 'content-delta'; readonly text: string }
  | { readonly type: 'tool-call-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call-delta'; readonly index: number; readonly argumentsText: string }
  | { readonly type: 'tool-call-end'; readonly index: number }
  /** Begun, and broken off: its text follows as content. */
  | { readonly type: 'tool-call-abandon'; readonly index: number }
  | {
      readonly type: 'finish';
      readonly reason: FinishReason | 'tool_calls';
      readonly stats: ReplyStats;
      /** Tokens through the closing think marker. */
      readonly reasoningTokens: number;
    };
