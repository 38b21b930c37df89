// The response object, from the request's echo to the finished reply.

import {
  toErrorBody,
  type ModelResponse,
  type ResponseOutputItem,
  type ResponseRequest,
  type ResponseUsage,
} from '@tensorfold/protocol';
import type { GenerationPlan } from '../generation/plan.ts';
import type { LoadedModel } from '../models/registry.ts';
import { createId, nowSeconds } from './head.ts';
import { statisticsOf, type FinishEvent } from './usage.ts';

/** As it stands before the first token. */
export function openResponse(request: ResponseRequest, plan: GenerationPlan, model: LoadedModel): ModelResponse {
  return {
    id: createId('resp'),
    object: 'response',
    created_at: nowSeconds(),
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: null,
    model: model.id,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    prompt_cache_key: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    safety_identifier: null,
    service_tier: 'default',
    store: request.store ?? true,
    temperature: plan.request.sampling.temperature,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: (request.tools ?? []).map(({ name, description, parameters, strict }) => ({
      type: 'function',
      name,
      description: description ?? null,
      parameters: parameters ?? null,
      strict: strict ?? null,
    })),
    top_logprobs: 0,
    top_p: plan.request.sampling.topP,
    presence_penalty: 0,
    frequency_penalty: 0,
    truncation: 'disabled',
    usage: null,
    metadata: request.metadata ?? {},
  };
}

export function finishedResponse(
  open: ModelResponse,
  output: readonly ResponseOutputItem[],
  finish: FinishEvent,
  model: LoadedModel,
): ModelResponse {
  const isCut = finish.reason === 'length';
  return {
    ...open,
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : nowSeconds(),
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output,
    usage: usageOf(finish),
    tensorfold: statisticsOf(finish.stats, model.engine.card),
  };
}

export function failedResponse(
  open: ModelResponse,
  output: readonly ResponseOutputItem[],
  error: unknown,
): ModelResponse {
  const { message, type, code } = toErrorBody(error);
  return { ...open, status: 'failed', output, error: { code: code ?? 'server_error', message, type } };
}

function usageOf(finish: FinishEvent): ResponseUsage {
  const { promptTokens, cachedTokens, completionTokens } = finish.stats;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: finish.reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
