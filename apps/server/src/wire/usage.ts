// The counts and times of a finished reply, as chat and completions show them.

import type { EngineCard } from '@tensorfold/engine-native';
import type { OutputEvent, ReplyStatistics, ReplyStats, Usage } from '@tensorfold/protocol';

export type FinishEvent = Extract<OutputEvent, { type: 'finish' }>;

export function usageOf(finish: FinishEvent): Usage {
  const { promptTokens, completionTokens, cachedTokens } = finish.stats;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: finish.reasoningTokens },
  };
}

export function statisticsOf(stats: ReplyStats, card: EngineCard): ReplyStatistics {
  return {
    token_sha: stats.tokenSha,
    numeric_version: card.numericVersion,
    kernel: card.kernel,
    prefill_seconds: round(stats.prefillSeconds),
    decode_seconds: round(stats.decodeSeconds),
    tokens_per_second: stats.decodeSeconds > 0 ? round(stats.completionTokens / stats.decodeSeconds) : 0,
    time_to_first_token: round(stats.firstTokenSeconds),
    draft: { drafted: stats.draftedTokens, accepted: stats.acceptedTokens, rounds: stats.rounds },
  };
}

/** To the microsecond. */
const round = (seconds: number): number => Math.round(seconds * 1e6) / 1e6;
