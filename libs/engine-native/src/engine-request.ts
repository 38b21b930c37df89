// What a caller of the engine says, and what leaving the rest out means.

import type { GenerationRequest, SamplingSettings } from '@tensorfold/protocol';

/** A prompt and a limit make a request; what else is left out is as in `plain` and `greedy`. */
export type EngineRequest = Pick<GenerationRequest, 'prompt' | 'maxTokens'> &
  Partial<Omit<GenerationRequest, 'sampling'>> & { readonly sampling?: Partial<SamplingSettings> };

const plain: Omit<GenerationRequest, 'prompt' | 'maxTokens' | 'sampling'> = {
  stop: [],
  ignoreEos: false,
  draft: true,
  priority: 'foreground',
  cacheSalt: '',
  thinking: null,
  forcedToolCall: null,
};

const greedy: SamplingSettings = { temperature: 0, topP: 1, topK: 0, minP: 0, seed: null };

export function wholeRequest(request: EngineRequest): GenerationRequest {
  return { ...plain, ...request, sampling: { ...greedy, ...request.sampling } };
}
