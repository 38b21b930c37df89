// ChatRequest + model -> GenerationPlan. Every default and every limit is decided here, before the first byte.

import type { EngineLike } from '@tensorfold/engine-native';
import {
  requiresCall,
  RequestError,
  show,
  stopStrings,
  toolsNamedBy,
  type ChatRequest,
  type CompletionRequest,
  type FunctionTool,
  type GenerationFields,
  type GenerationRequest,
  type PromptPiece,
  type SamplingSettings,
  type ThinkingSettings,
  type TokenId,
} from '@tensorfold/protocol';
import type { OutputParser } from '@tensorfold/templates';
import type { ServerConfig } from '../config.ts';
import type { LoadedModel } from '../models/registry.ts';
import { replyLimit } from './limits.ts';
import { createPlainParser } from './plain-parser.ts';
import { isSessionTitleRequest } from './session-title.ts';
import { refuseStructuredOutput } from './structured-output.ts';

/** All that a reply depends on. */
export interface GenerationPlan {
  readonly request: GenerationRequest;
  /** A new parser of the reply; one a run. */
  readonly createParser: () => OutputParser;
}

/** RequestError where the request cannot run on this model. */
export function planChat(request: ChatRequest, model: LoadedModel, config: ServerConfig): GenerationPlan {
  refuseStructuredOutput(request);
  const { engine, template } = model;
  const { prompted, callable } = toolsOf(request);
  const rendered = template.render({
    messages: request.messages,
    tools: prompted,
    continueFinalMessage: request.continue_final_message ?? false,
    kwargs: template.thinkingKwargs({
      effort: request.reasoning_effort,
      kwargs: request.chat_template_kwargs,
      defaultEffort: config.reasoningEffort,
    }),
  });
  const prompt = engine.encode(rendered.pieces);
  const budgetTokens = request.thinking_budget || config.thinkingBudget;
  return {
    request: {
      ...commonRequest(request, prompt, model, config),
      priority: request.priority ?? (isSessionTitleRequest(request) ? 'background' : 'foreground'),
      thinking: thinkingSettings(model, rendered.thinkingStartsOpen, budgetTokens),
      forcedToolCall: forcedToolCall(request, model, prompted, callable),
    },
    createParser: () =>
      template.createOutputParser({
        tools: callable,
        thinkingStartsOpen: rendered.thinkingStartsOpen,
        parallelToolCalls: request.parallel_tool_calls ?? true,
      }),
  };
}

/** Raw text or ids: no template, no think block, no calls. */
export function planCompletion(request: CompletionRequest, model: LoadedModel, config: ServerConfig): GenerationPlan {
  refuseStructuredOutput(request);
  const prompt = completionPrompt(request.prompt, model.engine);
  return {
    request: {
      ...commonRequest(request, prompt, model, config),
      priority: request.priority ?? 'foreground',
      thinking: null,
      forcedToolCall: null,
    },
    createParser: createPlainParser,
  };
}

interface ReplyLimits {
  readonly max_tokens?: number | null | undefined;
  readonly max_completion_tokens?: number | null | undefined;
}

function commonRequest(
  fields: GenerationFields & ReplyLimits,
  prompt: readonly TokenId[],
  model: LoadedModel,
  config: ServerConfig,
): Omit<GenerationRequest, 'priority' | 'thinking' | 'forcedToolCall'> {
  const param = (fields.max_completion_tokens ?? null) === null ? 'max_tokens' : 'max_completion_tokens';
  return {
    prompt,
    maxTokens: replyLimit({
      promptTokens: prompt.length,
      requested: fields[param] ?? null,
      param,
      defaultTokens: config.maxTokens,
      windowTokens: model.engine.card.windowTokens,
    }),
    sampling: samplingSettings(fields, config),
    stop: stopStrings(fields.stop),
    ignoreEos: fields.ignore_eos ?? false,
    draft: fields.draft ?? config.draft,
    cacheSalt: fields.cache_salt ?? '',
  };
}

/** The effective values, also for replies that echo them. */
export function samplingSettings(fields: GenerationFields, config: ServerConfig): SamplingSettings {
  const seed = fields.seed ?? config.seed;
  return {
    temperature: fields.temperature ?? config.temperature,
    topP: fields.top_p ?? config.topP,
    topK: fields.top_k ?? config.topK,
    minP: fields.min_p ?? config.minP,
    seed: seed === null ? null : BigInt.asUintN(64, BigInt(seed)),
  };
}

/**
 * `prompted`: what the template shows. `callable`: what the reply may call. A named function is the only tool shown;
 * `allowed_tools` shows all and lets some be called; `none` hides them.
 */
function toolsOf(request: ChatRequest): { prompted: readonly FunctionTool[]; callable: readonly FunctionTool[] } {
  const { tool_choice: choice } = request;
  const offered = choice === 'none' ? [] : (request.tools ?? []);
  const names = toolsNamedBy(choice);
  if (names === null) return { prompted: offered, callable: offered };
  const callable = offered.filter((tool) => names.includes(tool.function.name));
  const isNamed = typeof choice === 'object' && choice?.type === 'function';
  return { prompted: isNamed ? callable : offered, callable };
}

function forcedToolCall(
  request: ChatRequest,
  model: LoadedModel,
  prompted: readonly FunctionTool[],
  callable: readonly FunctionTool[],
): GenerationRequest['forcedToolCall'] {
  if (!requiresCall(request.tool_choice)) return null;
  const names = callable.map((tool) => tool.function.name);
  const forced = model.template.forcedToolCall(prompted, names);
  if (forced !== null) return forced;
  throw new RequestError(
    `tool_choice ${show(request.tool_choice)} cannot be forced: this model's chat template writes no tool calls; use "auto"`,
    { param: 'tool_choice' },
  );
}

function thinkingSettings(model: LoadedModel, startsOpen: boolean, budgetTokens: number): ThinkingSettings | null {
  const markers = model.template.thinkingMarkers;
  if (markers === null || markers.closeId === null) return null;
  return {
    startsOpen,
    openId: markers.openId,
    closeId: markers.closeId,
    budgetTokens,
    closeIds: encodeFragment(model.engine, markers.closePieces),
  };
}

/** Ids of text in the middle of a reply: what `encode` gives, less the beginning-of-text token it may add. */
function encodeFragment(engine: EngineLike, pieces: readonly PromptPiece[]): TokenId[] {
  const ids = engine.encode(pieces);
  const bos = engine.card.specialTokens['bos_token'];
  if (bos === undefined || bos === '' || pieces[0]?.text.startsWith(bos)) return ids;
  return ids[0] === engine.tokenId(bos) ? ids.slice(1) : ids;
}

function completionPrompt(prompt: string | readonly number[], engine: EngineLike): readonly TokenId[] {
  // No template stands between caller and model here, so the text may spell control tokens.
  if (typeof prompt === 'string') return engine.encode([{ text: prompt, source: 'template' }]);
  const { vocabSize } = engine.card;
  const wrong = prompt.findIndex((id) => id >= vocabSize);
  if (wrong === -1) return prompt;
  throw new RequestError(`prompt[${wrong}] must be a token id below ${vocabSize}, got ${prompt[wrong]}`, {
    param: `prompt[${wrong}]`,
  });
}
