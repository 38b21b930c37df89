// The body of a chat completion, as a schema: what /openapi.json shows and tests hold replies to.

import { z } from 'zod';
import type { ChatCompletion } from '../types.ts';
import { statisticsSchema, usageSchema } from '../usage.ts';

const toolCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

export const chatFinishReason = z.enum(['stop', 'length', 'tool_calls']);

export const chatCompletionSchema = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      message: z.strictObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.null(),
        reasoning_content: z.string().exactOptional(),
        tool_calls: z.array(toolCall).min(1).exactOptional(),
      }),
      logprobs: z.null(),
      finish_reason: chatFinishReason,
    }),
  ),
  usage: usageSchema,
  tensorfold: statisticsSchema,
}) satisfies z.ZodType<ChatCompletion>;
