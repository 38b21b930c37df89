// A chunk of a streamed chat completion, as a schema.

import { z } from 'zod';
import type { ChatCompletionChunk } from '../types.ts';
import { statisticsSchema, usageSchema } from '../usage.ts';
import { chatFinishReason } from './completion.ts';

const toolCallDelta = z.strictObject({
  index: z.int().min(0),
  id: z.string().exactOptional(),
  type: z.literal('function').exactOptional(),
  function: z.strictObject({ name: z.string().exactOptional(), arguments: z.string() }),
});

export const chatChunkSchema = z.strictObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.strictObject({
      index: z.int(),
      delta: z.strictObject({
        role: z.literal('assistant').exactOptional(),
        content: z.string().exactOptional(),
        reasoning_content: z.string().exactOptional(),
        tool_calls: z.array(toolCallDelta).exactOptional(),
      }),
      logprobs: z.null(),
      finish_reason: chatFinishReason.nullable(),
    }),
  ),
  usage: usageSchema.nullable().exactOptional(),
  tensorfold: statisticsSchema.exactOptional(),
}) satisfies z.ZodType<ChatCompletionChunk>;
