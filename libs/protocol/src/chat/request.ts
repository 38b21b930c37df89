// The body of POST /v1/chat/completions: unknown -> ChatRequest, or RequestError (400).

import { z } from 'zod';
import { RequestError } from '../errors.ts';
import {
  generationFields,
  reasoningEffort,
  replyLimits,
  responseFormat,
  thinkingFields,
} from '../generation-fields.ts';
import { flag, isObject, jsonObject, optionalText, parse, show, text, textOrAbsent } from '../schema.ts';
import type { ChatCompletionRequest, ChatMessage, FunctionTool, ToolChoice } from '../types.ts';

/** A checked chat request; fields this server does not know are gone. */
export type ChatRequest = ChatCompletionRequest;

export function parseChatRequest(body: unknown): ChatRequest {
  const request = parse(chatRequestSchema, body);
  checkToolChoice(request);
  checkContinued(request);
  // The tools as they came: a template that prints them prints the caller's keys in the caller's order.
  return { ...request, tools: (body as ChatCompletionRequest).tools };
}

// Messages

const partKinds: Record<string, string> = {
  image_url: 'image input is not supported by this server',
  image: 'image input is not supported by this server',
  input_image: 'image input is not supported by this server',
  input_audio: 'audio input is not supported by this server',
  audio_url: 'audio input is not supported by this server',
  video_url: 'video input is not supported by this server',
  video: 'video input is not supported by this server',
  file: 'file input is not supported by this server',
};

/** Says of a part what is wrong with it: an image, a typo, or no part at all. */
const partMessage = (known: string) => ({
  error: (issue: { input?: unknown }) => {
    const type = isObject(issue.input) ? issue.input['type'] : undefined;
    const kind = typeof type === 'string' ? partKinds[type] : undefined;
    if (kind !== undefined) return `has type ${show(type)}: ${kind}; send text`;
    return `must be a part of type ${known}`;
  },
});

const textPart = z.object({ type: z.literal('text'), text: text() });
const refusalPart = z.object({ type: z.literal('refusal'), refusal: text() });
const textParts = z.array(z.discriminatedUnion('type', [textPart], partMessage('"text"')));
const assistantParts = z.array(
  z.discriminatedUnion('type', [textPart, refusalPart], partMessage('"text" or "refusal"')),
);

const contentMessage = 'must be a string or a list of text parts';
const content = z.union([z.string(), textParts], contentMessage);

const toolCall = z.object(
  {
    id: textOrAbsent(),
    type: z
      .literal('function', 'must be "function"')
      .nullish()
      .transform((value) => value ?? undefined),
    function: z.object(
      {
        name: text(),
        arguments: z.union([z.string(), jsonObject()], 'must be a string of JSON').nullish(),
      },
      'must be an object with name and arguments',
    ),
  },
  'must be an object with id, type and function',
);

const named = { name: textOrAbsent() };
const roles = 'must be one of "system", "developer", "user", "assistant", "tool"';
export const chatMessage = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.enum(['system', 'developer']), content, ...named }),
    z.object({ role: z.literal('user'), content, ...named }),
    z.object({
      role: z.literal('assistant'),
      content: z.union([z.string(), assistantParts], contentMessage).nullish(),
      reasoning_content: optionalText(),
      reasoning: z.custom<string | null>().optional().transform(textOrNothing),
      refusal: optionalText(),
      tool_calls: z.array(toolCall, 'must be a list of tool calls').nullish(),
      ...named,
    }),
    z.object({ role: z.literal('tool'), content, tool_call_id: textOrAbsent(), ...named }),
  ],
  { error: (issue) => (isObject(issue.input) ? roles : 'must be an object with role and content') },
) satisfies z.ZodType<ChatMessage>;

/** `reasoning` is other servers' name for reasoning_content; some put objects there, which say nothing to us. */
function textOrNothing(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export const chatMessages = z
  .array(chatMessage, 'must be a non-empty list of messages')
  .min(1, 'must be a non-empty list of messages');

// Tools

export const functionTool = z.object(
  {
    type: z.literal('function', 'must be "function": this server runs no tools of its own'),
    function: z.object(
      {
        name: text().min(1, 'must be a non-empty string'),
        description: optionalText(),
        parameters: jsonObject('must be a JSON schema object').nullish(),
        strict: flag(),
      },
      'must be an object with a name',
    ),
  },
  'must be an object with type and function',
) satisfies z.ZodType<FunctionTool>;

export const functionTools = z.array(functionTool, 'must be a list of tools').nullish();

const namedChoice = z.object({
  type: z.literal('function'),
  function: z.object({ name: text() }, 'must be an object with a name'),
});
const choiceMessage = 'must be "none", "auto", "required", or an object of type "function" or "allowed_tools"';
const toolChoice = z
  .union(
    [
      z.enum(['none', 'auto', 'required']),
      namedChoice,
      z.object({
        type: z.literal('allowed_tools'),
        allowed_tools: z.object(
          {
            mode: z.enum(['auto', 'required'], 'must be "auto" or "required"'),
            tools: z
              .array(namedChoice, 'must be a non-empty list of functions')
              .min(1, 'must be a non-empty list of functions'),
          },
          'must be an object with mode and tools',
        ),
      }),
    ],
    choiceMessage,
  )
  .nullish() satisfies z.ZodType<ToolChoice | null | undefined>;

/** The tools a choice names, else null. */
export function toolsNamedBy(choice: ToolChoice | null | undefined): readonly string[] | null {
  if (choice === null || choice === undefined || typeof choice === 'string') return null;
  if (choice.type === 'function') return [choice.function.name];
  return choice.allowed_tools.tools.map((tool) => tool.function.name);
}

/** Whether the reply must call a tool. */
export function requiresCall(choice: ToolChoice | null | undefined): boolean {
  if (choice === null || choice === undefined) return false;
  if (typeof choice === 'string') return choice === 'required';
  return choice.type === 'function' || choice.allowed_tools.mode === 'required';
}

/** A choice names tools that are there. Also for requests that other routes make into chat requests. */
export function checkToolChoice(request: Pick<ChatRequest, 'tools' | 'tool_choice'>): void {
  const offered = new Set((request.tools ?? []).map((tool) => tool.function.name));
  if (requiresCall(request.tool_choice) && offered.size === 0) {
    throw new RequestError(`tool_choice ${show(request.tool_choice)} needs at least one tool in tools`, {
      param: 'tool_choice',
    });
  }
  for (const name of toolsNamedBy(request.tool_choice) ?? []) {
    if (offered.has(name)) continue;
    throw new RequestError(
      `tool_choice names ${show(name)}, which is not in tools: ${[...offered].join(', ') || 'none'}`,
      {
        param: 'tool_choice',
      },
    );
  }
}

/** What is continued is a text of the assistant. */
export function checkContinued(request: Pick<ChatRequest, 'messages' | 'continue_final_message'>): void {
  if (request.continue_final_message !== true) return;
  const last = request.messages.at(-1);
  if (last?.role === 'assistant' && (last.tool_calls ?? []).length === 0) return;
  const found = last?.role === 'assistant' ? 'one with tool_calls' : `one of role ${show(last?.role)}`;
  throw new RequestError(`continue_final_message needs an assistant message of text at the end, got ${found}`, {
    param: 'continue_final_message',
  });
}

// The whole

const refusedFields = {
  logprobs: z.literal(false, 'must be false: log probabilities are not given out').nullish(),
  top_logprobs: z.literal(0, 'must be 0: log probabilities are not given out').nullish(),
  modalities: z.array(z.literal('text', 'must be "text", the only output'), 'must be a list of "text"').nullish(),
} as const;

export const chatRequestSchema = z.object(
  {
    messages: chatMessages,
    ...generationFields,
    ...replyLimits,
    ...thinkingFields,
    reasoning_effort: reasoningEffort,
    tools: functionTools,
    tool_choice: toolChoice,
    parallel_tool_calls: flag(),
    continue_final_message: flag(),
    response_format: responseFormat,
    ...refusedFields,
  },
  'must be a JSON object',
) satisfies z.ZodType<ChatCompletionRequest>;
