// Thinking and effort: what a request asks, as the template's own switches (docs/api.md, reasoning effort).

import type { ThinkingRequest } from './types.ts';

/** Effort names that a template without names of its own knows by another. */
const otherNames: Readonly<Record<string, string>> = { high: 'xhigh', minimal: 'low' };

/**
 * `none` turns thinking off, any other effort turns it on, an explicit `enable_thinking` wins over both. The template
 * hears an effort only while thinking. Without any of them it renders its own default.
 */
export function thinkingKwargs(source: string, request: ThinkingRequest): Record<string, unknown> {
  const { reasoning_effort: kwargsEffort, ...others } = request.kwargs ?? {};
  const kwargs: Record<string, unknown> = others;
  const effort = request.effort ?? textOrNull(kwargsEffort) ?? request.defaultEffort ?? null;
  const explicit = kwargs['enable_thinking'];
  const isThinking = explicit === undefined || explicit === null ? effortThinks(effort) : explicit === true;
  if (isThinking !== null) kwargs['enable_thinking'] = isThinking;
  else delete kwargs['enable_thinking'];
  if (effort !== null && effort !== 'none' && isThinking !== false) kwargs['reasoning_effort'] = nameOf(effort, source);
  return kwargs;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function effortThinks(effort: string | null): boolean | null {
  return effort === null ? null : effort !== 'none';
}

function nameOf(effort: string, source: string): string {
  const other = otherNames[effort];
  if (other === undefined || source.includes(`'${effort}'`) || source.includes(`"${effort}"`)) return effort;
  return other;
}
