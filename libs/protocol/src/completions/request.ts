// The body of POST /v1/completions without messages: raw text or token ids, no template.

import { z } from 'zod';
import { generationFields, replyLimits, responseFormat } from '../generation-fields.ts';
import { isObject, parse } from '../schema.ts';
import type { CompletionRequest } from '../types.ts';

export function parseCompletionRequest(body: unknown): CompletionRequest {
  return parse(completionRequestSchema, body);
}

/** A body with messages in it is a chat request, whatever the path says. */
export function hasMessages(body: unknown): boolean {
  return isObject(body) && Array.isArray(body['messages']) && body['messages'].length > 0;
}

const tokenId = z.int('must be a token id').min(0, 'must be a token id');
const promptMessage = 'must be a string or a non-empty list of token ids';

export const completionRequestSchema = z.object(
  {
    prompt: z.union([z.string(), z.array(tokenId).min(1, promptMessage)], promptMessage),
    ...generationFields,
    ...replyLimits,
    response_format: responseFormat,
    logprobs: z.literal(false, 'must be null or false: log probabilities are not given out').nullish(),
    echo: z.literal(false, 'must be false: the prompt is not repeated in the reply').nullish(),
    best_of: z.literal(1, 'must be 1: one reply a request').nullish(),
    suffix: z.literal('', 'must be empty: text is only written at the end').nullish(),
  },
  'must be a JSON object',
) satisfies z.ZodType<CompletionRequest>;
