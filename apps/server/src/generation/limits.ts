// Prompt and reply against the window.

import { RequestError } from '@tensorfold/protocol';

export interface ReplySpace {
  readonly promptTokens: number;
  /** The request's own limit, or null where it gave none. */
  readonly requested: number | null;
  /** The name of the request's limit, for errors. */
  readonly param: string;
  /** Taken where the request gives none, capped to what the window leaves. */
  readonly defaultTokens: number;
  readonly windowTokens: number;
}

/** Tokens the reply may have. RequestError where prompt and reply do not fit, with the counts and what would fit. */
export function replyLimit(space: ReplySpace): number {
  const { promptTokens, requested, param, windowTokens } = space;
  if (promptTokens < 1) throw new RequestError('the prompt has no tokens; send at least one', { param: 'prompt' });
  const left = windowTokens - promptTokens;
  if (left < 1) {
    const reply = requested === null ? '' : ` and ${param} asks for ${tokens(requested)} more`;
    throw tooLong(
      `the prompt has ${tokens(promptTokens)}${reply}, but the window is ${tokens(windowTokens)}, prompt and reply together; ` +
        `shorten the prompt to at most ${tokens(windowTokens - 1)}`,
    );
  }
  if (requested === null) return Math.min(space.defaultTokens, left);
  if (requested > left) {
    throw tooLong(
      `the prompt has ${tokens(promptTokens)} and ${param} asks for ${tokens(requested)}, together ` +
        `${promptTokens + requested}, but the window is ${tokens(windowTokens)}; ${param} of at most ${left} fits`,
      param,
    );
  }
  return requested;
}

const tokens = (count: number): string => `${count} ${count === 1 ? 'token' : 'tokens'}`;

const tooLong = (message: string, param: string | null = null): RequestError =>
  new RequestError(message, { param, code: 'context_length_exceeded' });
