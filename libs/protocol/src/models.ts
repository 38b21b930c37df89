// What the small routes answer, as schemas.

import { z } from 'zod';
import type {
  DeletedResponse,
  DetokenizeResponse,
  ErrorBody,
  Health,
  Model,
  ModelList,
  TokenizeResponse,
} from './types.ts';
import { count, seconds } from './usage.ts';

export const modelSchema = z.strictObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  max_model_len: count,
}) satisfies z.ZodType<Model>;

export const modelListSchema = z.strictObject({
  object: z.literal('list'),
  data: z.array(modelSchema),
}) satisfies z.ZodType<ModelList>;

export const tokenizeResponseSchema = z.strictObject({
  count,
  max_model_len: count,
  tokens: z.array(count),
  token_strs: z.array(z.string()).nullable(),
}) satisfies z.ZodType<TokenizeResponse>;

export const detokenizeResponseSchema = z.strictObject({
  prompt: z.string(),
}) satisfies z.ZodType<DetokenizeResponse>;

export const healthSchema = z.strictObject({
  status: z.enum(['ok', 'draining', 'failed']),
  model: z.string(),
  busy: z.boolean(),
  requests_running: count,
  requests_waiting: count,
  requests_total: count,
  prompt_tokens_total: count,
  cached_tokens_total: count,
  completion_tokens_total: count,
  prefill_seconds_total: seconds,
  decode_seconds_total: seconds,
  rounds_total: count,
  drafted_total: count,
  accepted_total: count,
  streams: z.strictObject({ decoding: count, prefilling: count, max: count }),
  context_length: count,
  uptime_seconds: seconds,
}) satisfies z.ZodType<Health>;

export const statusSchema = z.strictObject({ status: z.string() });

export const deletedResponseSchema = z.strictObject({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
}) satisfies z.ZodType<DeletedResponse>;

export const errorSchema = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.enum([
      'invalid_request_error',
      'authentication_error',
      'not_found_error',
      'rate_limit_error',
      'server_error',
    ]),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
}) satisfies z.ZodType<{ error: ErrorBody }>;
