// Template and template messages to prompt pieces, template text and caller text kept apart.

import { randomUUID } from 'node:crypto';
import { type PromptPiece, RequestError } from '@tensorfold/protocol';
import type { JinjaTemplate } from './jinja/template.ts';
import { Text } from './jinja/text.ts';
import { Dict, List, TemplateError, TemplateRaised, type Value } from './jinja/values.ts';

export interface TemplateInput {
  /** As the template reads them: a list of objects. */
  readonly messages: unknown;
  readonly tools: unknown;
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly specialTokens: Readonly<Record<string, string>>;
  readonly addGenerationPrompt: boolean;
  /** The text ends with the last message's, left open for the model to go on. */
  readonly continueFinalMessage?: boolean;
  readonly now: Date;
  /** A render that takes more is refused. */
  readonly maxSteps?: number;
}

/** Renders exactly what it is given. RequestError (400) where the template refuses or cannot render it. */
export function renderTemplate(template: JinjaTemplate, input: TemplateInput): PromptPiece[] {
  const variables = new Map<string, Value>();
  for (const [name, token] of Object.entries(input.specialTokens)) variables.set(name, Text.template(token));
  const messages = toValue(input.messages);
  const isContinued = input.continueFinalMessage === true;
  variables.set('messages', isContinued ? withEndMark(messages) : messages);
  variables.set('tools', toValue(input.tools ?? null));
  variables.set('documents', null);
  variables.set('add_generation_prompt', input.addGenerationPrompt);
  for (const [name, value] of Object.entries(input.kwargs)) variables.set(name, toValue(value));
  try {
    const { segments } = template.render(variables, input.now, input.maxSteps);
    const pieces = segments.map(({ text, caller }) => ({ text, source: caller ? 'caller' : 'template' }) as const);
    return isContinued ? cutAtEndMark(pieces) : pieces;
  } catch (error) {
    throw refusal(error);
  }
}

/** Ends in a blank, which a template that trims its messages takes away. */
const endMark = `end-of-message-${randomUUID()} `;

function withEndMark(messages: Value): Value {
  if (!(messages instanceof List)) return messages;
  const last = messages.items.at(-1);
  const content = last instanceof Dict ? last.getText('content') : undefined;
  if (!(last instanceof Dict) || !(content instanceof Text))
    throw new RequestError('continue_final_message needs a last message with text', { param: 'messages' });
  const marked = new Dict(last.entries.values());
  marked.set(Text.caller('content'), Text.concat([content, Text.caller(endMark)]));
  return new List([...messages.items.slice(0, -1), marked]);
}

/** The text before the mark; where the template trimmed the message, without the blanks at its end. */
function cutAtEndMark(pieces: readonly PromptPiece[]): PromptPiece[] {
  const whole = pieces.map(({ text }) => text).join('');
  const at = whole.lastIndexOf(endMark.trim());
  if (at < 0)
    throw new RequestError('the chat template leaves the last message out, so it cannot be continued', {
      param: 'continue_final_message',
    });
  const isTrimmed = !whole.startsWith(endMark, at);
  let left = isTrimmed ? whole.slice(0, at).trimEnd().length : at;
  const cut: PromptPiece[] = [];
  for (const piece of pieces) {
    const text = piece.text.slice(0, left);
    left -= text.length;
    if (text !== '') cut.push({ ...piece, text });
  }
  return cut;
}

function refusal(error: unknown): unknown {
  if (error instanceof TemplateRaised) return new RequestError(error.message, { param: 'messages' });
  const isOverflow = error instanceof RangeError;
  if (!(error instanceof TemplateError) && !isOverflow) return error;
  const reason = isOverflow ? 'it nests too deeply' : whereAndWhat(error);
  return new RequestError(`the chat template cannot render these messages: ${reason}`, { param: 'messages' });
}

function whereAndWhat({ message, line }: TemplateError): string {
  return line === undefined ? message : `line ${line}: ${message}`;
}

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

/**
 * JSON as the caller sent it. Its strings are the caller's, and so are its keys; a role is one of five known words, which
 * the template may print between its own markers.
 */
export function toValue(input: unknown): Value {
  if (input === null || input === undefined) return null;
  if (typeof input === 'string') return Text.caller(input);
  if (typeof input === 'boolean' || typeof input === 'bigint') return input;
  if (typeof input === 'number') return Number.isInteger(input) && !Object.is(input, -0) ? BigInt(input) : input;
  if (input instanceof Text || input instanceof Dict || input instanceof List) return input;
  if (Array.isArray(input)) return new List(input.map(toValue));
  const dict = new Dict();
  for (const [key, value] of Object.entries(input as object)) {
    if (value === undefined) continue;
    const isRole = key === 'role' && typeof value === 'string' && roles.has(value);
    dict.set(Text.caller(key), isRole ? Text.template(value) : toValue(value));
  }
  return dict;
}
