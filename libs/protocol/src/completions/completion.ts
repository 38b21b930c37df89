// The body of a raw completion, and a chunk of one, as schemas.

import { z } from 'zod';
import type { Completion, CompletionChunk } from '../types.ts';
import { statisticsSchema, usageSchema } from '../usage.ts';

const head = { id: z.string(), object: z.literal('text_completion'), created: z.int(), model: z.string() } as const;
const reason = z.enum(['stop', 'length']);

export const completionSchema = z.strictObject({
  ...head,
  choices: z.array(z.strictObject({ index: z.int(), text: z.string(), logprobs: z.null(), finish_reason: reason })),
  usage: usageSchema,
  tensorfold: statisticsSchema,
}) satisfies z.ZodType<Completion>;

export const completionChunkSchema = z.strictObject({
  ...head,
  choices: z.array(
    z.strictObject({ index: z.int(), text: z.string(), logprobs: z.null(), finish_reason: reason.nullable() }),
  ),
  usage: usageSchema.nullable().exactOptional(),
  tensorfold: statisticsSchema.exactOptional(),
}) satisfies z.ZodType<CompletionChunk>;
