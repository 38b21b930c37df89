// Fields that chat, completions and responses read alike.

import { z } from 'zod';
import { flag, isObject, jsonObject, numberFrom, optionalText, seedNumber, whole, wholeFrom } from './schema.ts';

const stopMessage = 'must be a string or a list of non-empty strings';

/** A JSON schema: an object, true or false; vLLM's clients also send its text. */
const jsonSchema = z.custom<string | boolean | Record<string, unknown>>(
  (value) => typeof value === 'string' || typeof value === 'boolean' || isObject(value),
  'must be a JSON schema: an object, true or false',
);
const choices = z
  .array(z.string('must be a string'), 'must be a non-empty list of strings')
  .min(1, 'must be a non-empty list of strings');

export const structuredOutputs = z.object(
  {
    json: jsonSchema.nullish(),
    json_object: flag(),
    regex: optionalText(),
    choice: choices.nullish(),
    grammar: optionalText(),
  },
  'must be an object',
);

export const generationFields = {
  model: optionalText(),
  stream: flag(),
  temperature: numberFrom(0, Infinity),
  top_p: numberFrom(0, 1),
  /** Zero or below keeps all. */
  top_k: whole(),
  min_p: numberFrom(0, 1),
  seed: seedNumber(),
  stop: z
    .union(
      [z.string(), z.array(z.string('must be a non-empty string').min(1, 'must be a non-empty string'))],
      stopMessage,
    )
    .nullish(),
  ignore_eos: flag(),
  draft: flag(),
  priority: z.enum(['foreground', 'background'], 'must be "foreground" or "background"').nullish(),
  cache_salt: optionalText(),
  guided_json: jsonSchema.nullish(),
  guided_regex: optionalText(),
  guided_choice: choices.nullish(),
  guided_grammar: optionalText(),
  structured_outputs: structuredOutputs.nullish(),
  n: z.literal(1, 'must be 1: one reply a request; send the request again for more').nullish(),
} as const;

const replyLimit = () => wholeFrom(1);

/** Chat's and completions' own names for the same thing. */
export const replyLimits = {
  max_tokens: replyLimit(),
  max_completion_tokens: replyLimit(),
  stream_options: z.object({ include_usage: flag(), include_obfuscation: flag() }, 'must be an object').nullish(),
} as const;

export const reasoningEffort = z
  .enum(
    ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    'must be one of "none", "minimal", "low", "medium", "high", "xhigh"',
  )
  .nullish();

/** What a template is told by name. Two of them mean something here too, so they are checked here. */
const chatTemplateKwargs = jsonObject('must be an object or null').superRefine((kwargs, context) => {
  for (const [name, schema] of [
    ['enable_thinking', flag()],
    ['reasoning_effort', reasoningEffort],
  ] as const) {
    const issue = schema.safeParse(kwargs[name]).error?.issues[0];
    if (issue !== undefined) context.addIssue({ code: 'custom', message: issue.message, path: [name] });
  }
});

export const thinkingFields = {
  /** 0 takes the server's. */
  thinking_budget: wholeFrom(0),
  chat_template_kwargs: chatTemplateKwargs.nullish(),
} as const;

const formatTypes = 'must be one of "text", "json_object", "json_schema"';
export const responseFormat = z
  .discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.object(
          {
            schema: z.custom<boolean | Record<string, unknown>>(
              (value) => typeof value === 'boolean' || isObject(value),
              'must be a JSON schema: an object, true or false',
            ),
            name: optionalText(),
            description: optionalText(),
            strict: flag(),
          },
          'must be an object with a schema',
        ),
      }),
    ],
    { error: (issue) => (isObject(issue.input) ? formatTypes : 'must be an object with a type') },
  )
  .nullish();

/** `null`, `""` and `[]` are none. */
export function stopStrings(stop: string | readonly string[] | null | undefined): readonly string[] {
  if (stop === null || stop === undefined || stop === '') return [];
  return typeof stop === 'string' ? [stop] : stop;
}
