// The response object and the events of a stream, as schemas.

import { z } from 'zod';
import { errorSchema } from '../models.ts';
import type { ModelResponse, ResponseStreamEvent } from '../types.ts';
import { count, statisticsSchema } from '../usage.ts';

const jsonSchema = z.record(z.string(), z.unknown());
const status = z.enum(['in_progress', 'completed', 'incomplete']);
const none = z.array(z.never()).max(0);

const textPart = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: none,
  logprobs: none,
});
const reasoningPart = z.strictObject({ type: z.literal('reasoning_text'), text: z.string() });
const part = z.discriminatedUnion('type', [textPart, reasoningPart]);

const outputItem = z.discriminatedUnion('type', [
  z.strictObject({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('assistant'),
    status,
    content: z.array(textPart),
  }),
  z.strictObject({
    id: z.string(),
    type: z.literal('reasoning'),
    status,
    summary: none,
    content: z.array(reasoningPart),
  }),
  z.strictObject({
    id: z.string(),
    type: z.literal('function_call'),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
]);

const toolName = z.strictObject({ type: z.literal('function'), name: z.string() });
const optionalText = z.string().nullish();

const format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    schema: z.union([z.boolean(), jsonSchema]),
    name: optionalText,
    description: optionalText,
    strict: z.boolean().nullish(),
  }),
]);

export const responseSchema = z.strictObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  background: z.literal(false),
  error: z.strictObject({ code: z.string(), message: z.string(), type: errorSchema.shape.error.shape.type }).nullable(),
  incomplete_details: z.strictObject({ reason: z.literal('max_output_tokens') }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: count.nullable(),
  max_tool_calls: z.null(),
  model: z.string(),
  output: z.array(outputItem),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  prompt_cache_key: z.null(),
  reasoning: z.strictObject({
    effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).nullable(),
    summary: z.string().nullable(),
  }),
  safety_identifier: z.null(),
  service_tier: z.literal('default'),
  store: z.boolean(),
  temperature: z.number(),
  text: z.strictObject({ format }),
  tool_choice: z.union([
    z.enum(['none', 'auto', 'required']),
    toolName,
    z.strictObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(toolName),
    }),
  ]),
  tools: z.array(
    z.strictObject({
      type: z.literal('function'),
      name: z.string(),
      description: z.string().nullable(),
      parameters: jsonSchema.nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  top_logprobs: z.literal(0),
  top_p: z.number(),
  presence_penalty: z.literal(0),
  frequency_penalty: z.literal(0),
  truncation: z.literal('disabled'),
  usage: z
    .strictObject({
      input_tokens: count,
      input_tokens_details: z.strictObject({ cached_tokens: count }),
      output_tokens: count,
      output_tokens_details: z.strictObject({ reasoning_tokens: count }),
      total_tokens: count,
    })
    .nullable(),
  metadata: z.record(z.string(), z.string()),
  tensorfold: statisticsSchema.exactOptional(),
}) satisfies z.ZodType<ModelResponse>;

const number = { sequence_number: count } as const;
const itemPlace = { item_id: z.string(), output_index: count, ...number } as const;
const partPlace = { ...itemPlace, content_index: count } as const;
const text = z.string();

export const responseEventSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['response.created', 'response.in_progress']), response: responseSchema, ...number }),
  z.strictObject({
    type: z.enum(['response.output_item.added', 'response.output_item.done']),
    output_index: count,
    item: outputItem,
    ...number,
  }),
  z.strictObject({ type: z.enum(['response.content_part.added', 'response.content_part.done']), part, ...partPlace }),
  z.strictObject({ type: z.literal('response.output_text.delta'), delta: text, logprobs: none, ...partPlace }),
  z.strictObject({ type: z.literal('response.output_text.done'), text, logprobs: none, ...partPlace }),
  z.strictObject({ type: z.literal('response.reasoning_text.delta'), delta: text, ...partPlace }),
  z.strictObject({ type: z.literal('response.reasoning_text.done'), text, ...partPlace }),
  z.strictObject({ type: z.literal('response.function_call_arguments.delta'), delta: text, ...itemPlace }),
  z.strictObject({ type: z.literal('response.function_call_arguments.done'), arguments: text, ...itemPlace }),
  z.strictObject({
    type: z.enum(['response.completed', 'response.incomplete', 'response.failed']),
    response: responseSchema,
    ...number,
  }),
]) satisfies z.ZodType<ResponseStreamEvent>;
