// The counts and statistics of a reply, as schemas.

import { z } from 'zod';
import type { ReplyStatistics, Usage } from './types.ts';

export const count = z.int().min(0);
export const seconds = z.number().min(0);

export const usageSchema = z.strictObject({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: z.strictObject({ cached_tokens: count }),
  completion_tokens_details: z.strictObject({ reasoning_tokens: count }),
}) satisfies z.ZodType<Usage>;

export const statisticsSchema = z.strictObject({
  token_sha: z.string(),
  numeric_version: z.union([z.int(), z.string()]),
  kernel: z.string(),
  prefill_seconds: seconds,
  decode_seconds: seconds,
  tokens_per_second: z.number().min(0),
  time_to_first_token: seconds,
  draft: z.strictObject({ drafted: count, accepted: count, rounds: count }),
}) satisfies z.ZodType<ReplyStatistics>;
