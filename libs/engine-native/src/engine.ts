// The public door of the engine: load a checkpoint, submit requests, read token events.

import type { GenerationRequest, PromptPiece, TokenEvent, TokenId } from '@tensorfold/protocol';

export interface EngineOptions {
  /** Path of a GGUF file (first part of a split one) or of a Hugging Face folder. */
  readonly model: string;
  /** Compute threads; 0 (default) takes the cores this process may use. */
  readonly threads?: number;
  /** Window in tokens; 0 (default) takes the checkpoint's, bounded by memory. */
  readonly contextTokens?: number;
  /** Requests that share rounds; 0 (default) decides from memory. */
  readonly lanes?: number;
  /** Kernel set; '' (default) takes the fastest. */
  readonly kernel?: string;
  /** Bytes for KV pages; 0 (default) decides from memory. */
  readonly kvBudgetBytes?: number;
  /** Rows a prompt brings to one round at most. */
  readonly chunkTokens?: number;
  /** Share of a chunk's time that running replies get between chunks; 0 reads prompts whole first. */
  readonly decodeShare?: number;
  /** Requests that may wait for a lane. */
  readonly queueLimit?: number;
  /** Mixed into seeds derived from the prompt. */
  readonly seedSalt?: string;
}

/** What a loaded model is. */
export interface EngineCard {
  readonly name: string;
  readonly family: string;
  readonly vocabSize: number;
  readonly windowTokens: number;
  readonly lanes: number;
  readonly threads: number;
  readonly kernel: string;
  readonly numericVersion: number;
  /** Packed weights plus the KV budget. */
  readonly memoryBytes: number;
  readonly endTokenIds: readonly TokenId[];
  /** Jinja text of the checkpoint's chat template, or null. */
  readonly chatTemplate: string | null;
  /** Texts that templates are given: bos_token, eos_token, ... */
  readonly specialTokens: Readonly<Record<string, string>>;
}

/** Counters since start; seconds and counts only rise. */
export interface EngineHealth {
  readonly state: 'ready' | 'failed' | 'closed';
  readonly requestsRunning: number;
  readonly requestsQueued: number;
  readonly requestsTotal: number;
  readonly promptTokensTotal: number;
  readonly cachedTokensTotal: number;
  readonly completionTokensTotal: number;
  readonly prefillSecondsTotal: number;
  readonly decodeSecondsTotal: number;
  readonly roundsTotal: number;
  readonly draftedTotal: number;
  readonly acceptedTotal: number;
  readonly replayMismatchTotal: number;
  readonly streams: { readonly decoding: number; readonly prefilling: number; readonly max: number };
}

/** The engine as the server and other users see it; `loadEngine` gives the real one, tests give scripted ones. */
export interface EngineLike {
  readonly card: EngineCard;
  /**
   * Token ids of a prompt. Caller text never becomes a control token. Adds the beginning-of-text token where the
   * checkpoint asks for one and the text does not already begin with it. Throws EngineError without a tokenizer.
   */
  encode(pieces: readonly PromptPiece[]): TokenId[];
  /** Text of ids, added tokens included. */
  decode(ids: readonly TokenId[]): string;
  /** The id of an added or control token by its text, or null. */
  tokenId(text: string): TokenId | null;
  /**
   * Runs a request. Aborting the signal, or leaving the loop, ends it at the next round; the iterator then throws the
   * signal's reason. Throws RequestError before the first event where the request cannot run, EngineError when a round
   * fails.
   */
  submit(request: GenerationRequest, signal?: AbortSignal): AsyncIterable<TokenEvent>;
  health(): EngineHealth;
  close(): Promise<void>;
}
