// The body of POST /v1/responses: unknown -> ResponseRequest, or RequestError (400) for what is wrong or not run here.

import { z } from 'zod';
import { generationFields, reasoningEffort, replyLimits, thinkingFields } from '../generation-fields.ts';
import { flag, isObject, jsonObject, optionalText, parse, show, text, wholeFrom } from '../schema.ts';
import type { ResponseInputItem, ResponseRequest, ResponseToolChoice } from '../types.ts';

export function parseResponseRequest(body: unknown): ResponseRequest {
  const request = parse(responseRequestSchema, body);
  // The tools as they came: a template that prints them prints the caller's keys in the caller's order.
  return { ...request, tools: (body as ResponseRequest).tools };
}

// Input

const partKinds: Record<string, string> = {
  input_image: 'image input is not supported by this server',
  input_audio: 'audio input is not supported by this server',
  input_file: 'files are not supported by this server',
};

const partError = {
  error: (issue: { input?: unknown }) => {
    const type = isObject(issue.input) ? issue.input['type'] : undefined;
    const kind = typeof type === 'string' ? partKinds[type] : undefined;
    if (kind !== undefined) return `has type ${show(type)}: ${kind}; send input_text`;
    return 'must be a part of type "input_text" or "output_text"';
  },
};

const contentMessage = 'must be a string or a list of text parts';
const content = z.union(
  [
    z.string(),
    z.array(
      z.discriminatedUnion(
        'type',
        [
          z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: text() }),
          z.object({ type: z.literal('refusal'), refusal: text() }),
        ],
        partError,
      ),
    ),
  ],
  contentMessage,
);

const message = z.object({
  type: z
    .literal('message')
    .nullish()
    .transform((value) => value ?? undefined),
  role: z.enum(
    ['system', 'developer', 'user', 'assistant'],
    'must be one of "system", "developer", "user", "assistant"',
  ),
  content,
});

const reasoning = z.object({
  type: z.literal('reasoning'),
  content: z
    .array(
      z.object({ type: z.literal('reasoning_text', 'must be "reasoning_text"'), text: text() }),
      'must be a list of reasoning_text parts',
    )
    .nullish(),
  encrypted_content: z
    .null('must be null: encrypted reasoning cannot be read here; send the item with its content')
    .optional(),
});

const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: text(),
  name: text(),
  arguments: text(),
  status: optionalText(),
});

const functionCallOutput = z.object({ type: z.literal('function_call_output'), call_id: text(), output: content });

const itemTypes =
  'must be one of "message", "reasoning", "function_call", "function_call_output": other items are not run here';
const inputItem = z.discriminatedUnion('type', [message, reasoning, functionCall, functionCallOutput], {
  error: (issue) => (isObject(issue.input) ? itemTypes : 'must be an input item'),
}) satisfies z.ZodType<ResponseInputItem>;

const inputMessage = 'must be a string or a non-empty list of items';
const input = z.union([z.string(), z.array(inputItem).min(1, inputMessage)], inputMessage);

// Tools and format

const tool = z.object(
  {
    type: z.literal('function', 'must be "function": this server runs no tools of its own'),
    name: text().min(1, 'must be a non-empty string'),
    description: optionalText(),
    parameters: jsonObject('must be a JSON schema object').nullish(),
    strict: flag(),
  },
  'must be an object with type and name',
);

const toolName = z.object({ type: z.literal('function'), name: text() });
const toolChoice = z
  .union(
    [
      z.enum(['none', 'auto', 'required']),
      toolName,
      z.object({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required'], 'must be "auto" or "required"'),
        tools: z
          .array(toolName, 'must be a non-empty list of functions')
          .min(1, 'must be a non-empty list of functions'),
      }),
    ],
    'must be "none", "auto", "required", or an object of type "function" or "allowed_tools"',
  )
  .nullish() satisfies z.ZodType<ResponseToolChoice | null | undefined>;

const formatTypes = 'must be one of "text", "json_object", "json_schema"';
const format = z
  .discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        schema: z.custom<boolean | Record<string, unknown>>(
          (value) => typeof value === 'boolean' || isObject(value),
          'must be a JSON schema: an object, true or false',
        ),
        name: optionalText(),
        description: optionalText(),
        strict: flag(),
      }),
    ],
    { error: (issue) => (isObject(issue.input) ? formatTypes : 'must be an object with a type') },
  )
  .nullish();

const metadataMessage = 'must be an object of at most 16 strings (keys to 64 characters, values to 512)';
const metadata = z
  .custom<Record<string, string>>(isMetadata, metadataMessage)
  .meta({ type: 'object', maxProperties: 16, additionalProperties: { type: 'string' } })
  .nullish();

function isMetadata(value: unknown): boolean {
  if (!isObject(value)) return false;
  const pairs = Object.entries(value);
  return (
    pairs.length <= 16 &&
    pairs.every(([key, each]) => key.length <= 64 && typeof each === 'string' && each.length <= 512)
  );
}

// The whole

const notHere = (what: string) => z.null(`must be null: ${what}`).optional();

const refusedFields = {
  background: z.literal(false, 'must be false: responses are made while the client waits').nullish(),
  include: z
    .array(z.unknown(), 'must be a list')
    .max(0, 'must be empty: nothing can be added to a response here')
    .nullish(),
  conversation: notHere('conversations are not kept here; send previous_response_id or the whole input'),
  prompt: notHere('there are no prompt templates here; send instructions and input'),
  truncation: z.literal('disabled', 'must be "disabled": input is never cut').nullish(),
  top_logprobs: z.literal(0, 'must be 0: log probabilities are not given out').nullish(),
} as const;

export const responseRequestSchema = z.object(
  {
    input,
    instructions: optionalText(),
    ...generationFields,
    ...thinkingFields,
    stream_options: replyLimits.stream_options,
    tools: z.array(tool, 'must be a list of tools').nullish(),
    tool_choice: toolChoice,
    parallel_tool_calls: flag(),
    max_output_tokens: wholeFrom(1),
    reasoning: z.object({ effort: reasoningEffort, summary: optionalText() }, 'must be an object').nullish(),
    text: z.object({ format }, 'must be an object').nullish(),
    store: flag(),
    metadata,
    previous_response_id: optionalText(),
    ...refusedFields,
  },
  'must be a JSON object',
) satisfies z.ZodType<ResponseRequest>;
