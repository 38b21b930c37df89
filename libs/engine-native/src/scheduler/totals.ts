// Counters since start. They only rise.

import type { ReplyStats } from '@tensorfold/protocol';
import type { WorkerCounters } from './reports.ts';

export class Totals {
  requests = 0;
  completionTokens = 0;
  prefillSeconds = 0;
  decodeSeconds = 0;
  rounds = 0;
  preemptions = 0;
  replayMismatches = 0;
  private promptTokens = 0;
  private cachedTokens = 0;
  private drafted = 0;
  private accepted = 0;

  finish(stats: ReplyStats): void {
    this.promptTokens += stats.promptTokens;
    this.cachedTokens += stats.cachedTokens;
    this.drafted += stats.draftedTokens;
    this.accepted += stats.acceptedTokens;
  }

  counters(now: {
    running: number;
    queued: number;
    decoding: number;
    prefilling: number;
    maxLanes: number;
  }): WorkerCounters {
    return {
      requestsRunning: now.running,
      requestsQueued: now.queued,
      requestsTotal: this.requests,
      promptTokensTotal: this.promptTokens,
      cachedTokensTotal: this.cachedTokens,
      completionTokensTotal: this.completionTokens,
      prefillSecondsTotal: this.prefillSeconds,
      decodeSecondsTotal: this.decodeSeconds,
      roundsTotal: this.rounds,
      draftedTotal: this.drafted,
      acceptedTotal: this.accepted,
      replayMismatchTotal: this.replayMismatches,
      preemptionsTotal: this.preemptions,
      streams: { decoding: now.decoding, prefilling: now.prefilling, max: now.maxLanes },
    };
  }
}
