// What crosses between the engine and its worker.

import type { FinishReason, GenerationRequest, ReplyStats, TokenPiece } from '@tensorfold/protocol';
import type { ForcedCallTokens } from '../constraint/tool-choice.ts';
import type { EngineHealth } from '../engine.ts';

/** A request as the worker takes it: what only the tokenizer knows is tokens already. */
export interface Submission {
  readonly id: number;
  readonly request: GenerationRequest;
  readonly forcedCall: ForcedCallTokens | null;
}

export interface Finish {
  readonly reason: FinishReason;
  readonly stopString: string | null;
  readonly stats: ReplyStats;
}

/** News of one request: pieces, then a finish or an error. */
export interface LaneReport {
  readonly id: number;
  readonly pieces: readonly TokenPiece[];
  readonly finish: Finish | null;
  readonly error: {
    readonly message: string;
    readonly kind: 'engine' | 'request';
    readonly code: string | null;
  } | null;
}

export type Command =
  | { readonly type: 'submit'; readonly submission: Submission }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'pause'; readonly id: number; readonly paused: boolean }
  | { readonly type: 'close' };

export type WorkerCounters = Omit<EngineHealth, 'state'>;

export type Report =
  | { readonly type: 'ready'; readonly card: WorkerCard }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'round'; readonly lanes: readonly LaneReport[]; readonly counters: WorkerCounters };

export interface WorkerCard {
  readonly kernel: string;
  readonly threads: number;
  readonly numericVersion: number | string;
  readonly lanes: number;
  readonly windowTokens: number;
  readonly memoryBytes: number;
}
