// How large the window, the lanes and the KV memory are, from what was asked and what the machine has.

import type { ModelSpec } from '../checkpoint/model-spec.ts';
import { type KvDtype, pageBytesOf } from '../kv-dtype.ts';
import { pageTokens } from './prefix-cache.ts';

export interface MemoryWishes {
  /** 0: the checkpoint's. */
  readonly contextTokens: number;
  /** 0: decided here. */
  readonly lanes: number;
  /** 0: decided here. */
  readonly kvBudgetBytes: number;
  readonly availableBytes: number;
  /** Absent or null: the checkpoint's own. */
  readonly kvDtype?: KvDtype | null;
  /** A draft model keeps as many pages of its own. */
  readonly drafter?: ModelSpec | null;
}

export interface MemoryPlan {
  readonly windowTokens: number;
  readonly lanes: number;
  readonly numPages: number;
  /** Bytes of a page, the draft model's included. */
  readonly pageBytes: number;
}

/** Lanes that `auto` gives at most: past this a round of two cores gains little. */
const autoLanes = 16;
/** Share of the available memory that `auto` gives to keys and values. */
const autoShare = 0.25;

/** Throws an Error that says what would fit, where not even one request of the asked window does. */
export function planMemory(spec: ModelSpec, wishes: MemoryWishes): MemoryPlan {
  const dtype = wishes.kvDtype ?? undefined;
  const pageBytes = pageBytesOf(spec, dtype) + (wishes.drafter ? pageBytesOf(wishes.drafter, dtype) : 0);
  const asked = wishes.contextTokens > 0 ? wishes.contextTokens : spec.contextTokens;
  if (asked > spec.contextTokens) {
    throw new Error(`context must be at most ${spec.contextTokens}, the checkpoint's window; got ${asked}`);
  }
  const lanes = wishes.lanes > 0 ? wishes.lanes : autoLanes;
  const pagesOfWindow = Math.ceil(asked / pageTokens);
  const budget = wishes.kvBudgetBytes > 0 ? wishes.kvBudgetBytes : wishes.availableBytes * autoShare;
  // One page more a lane: the copy that a lane starts its own text in.
  const wanted = lanes * (pagesOfWindow + 1);
  const numPages = Math.max(2, Math.min(wanted, Math.floor(budget / pageBytes)));
  const windowTokens = Math.min(asked, (numPages - 1) * pageTokens);
  if (windowTokens < asked && wishes.contextTokens > 0) {
    throw new Error(
      `a context of ${asked} tokens needs ${(pagesOfWindow + 1) * pageBytes} bytes of KV memory, ` +
        `the budget is ${Math.floor(budget)}; at most ${windowTokens} tokens fit`,
    );
  }
  return { windowTokens, lanes: Math.min(lanes, numPages), numPages, pageBytes };
}
