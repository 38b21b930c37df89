// The bodies of POST /tokenize and POST /detokenize, with vLLM's field names.

import { z } from 'zod';
import { chatMessages, checkContinued, functionTools } from './chat/request.ts';
import { RequestError } from './errors.ts';
import { thinkingFields } from './generation-fields.ts';
import { flag, optionalText, parse } from './schema.ts';
import type { DetokenizeRequest, TokenizeRequest } from './types.ts';

export function parseTokenizeRequest(body: unknown): TokenizeRequest {
  const request = parse(tokenizeRequestSchema, body);
  const hasPrompt = request.prompt !== null && request.prompt !== undefined;
  const hasMessages = request.messages !== null && request.messages !== undefined;
  if (hasPrompt === hasMessages) throw new RequestError('send either prompt or messages', { param: 'prompt' });
  checkContinued({ ...request, messages: request.messages ?? [] });
  return { ...request, tools: (body as TokenizeRequest).tools };
}

export function parseDetokenizeRequest(body: unknown): DetokenizeRequest {
  return parse(detokenizeRequestSchema, body);
}

export const tokenizeRequestSchema = z.object(
  {
    model: optionalText(),
    prompt: optionalText(),
    messages: chatMessages.nullish(),
    tools: functionTools,
    chat_template_kwargs: thinkingFields.chat_template_kwargs,
    add_special_tokens: flag(),
    add_generation_prompt: flag(),
    continue_final_message: flag(),
    return_token_strs: flag(),
  },
  'must be a JSON object',
) satisfies z.ZodType<TokenizeRequest>;

const tokenId = z.int('must be a token id').min(0, 'must be a token id');

export const detokenizeRequestSchema = z.object(
  { model: optionalText(), tokens: z.array(tokenId, 'must be a list of token ids') },
  'must be a JSON object',
) satisfies z.ZodType<DetokenizeRequest>;
