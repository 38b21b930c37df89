// Wire messages to the messages a template reads, after the server's rules about roles, parts and arguments.

import { createHash } from 'node:crypto';
import { RequestError } from '@tensorfold/protocol';
import { Dict } from './jinja/values.ts';
import { parseJson } from './json-text.ts';
import type { TemplateTraits } from './traits.ts';
import type { WireMessage, WireToolCall } from './types.ts';

/** A message as templates read it; only the fields that are there. */
export type TemplateMessage = Readonly<Record<string, unknown>> & { readonly role: string };

/** Makes new objects; the caller's stay as they were. */
export function toTemplateMessages(messages: readonly WireMessage[], traits: TemplateTraits): TemplateMessage[] {
  const converted = mergeLeadingSystem(messages).map(({ message, index }) => toTemplateMessage(message, index, traits));
  const placed = converted.map((message, index) => placeSystem(message, index, traits));
  return traits.refusesUserTwice ? mergeUsers(placed) : placed;
}

interface Numbered {
  readonly message: WireMessage;
  /** In the request. */
  readonly index: number;
}

/** Leading system and developer messages become one, in order; later developer messages become system messages. */
function mergeLeadingSystem(messages: readonly WireMessage[]): Numbered[] {
  const numbered = messages.map((message, index) => ({ message, index }));
  const firstOther = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const numLeading = firstOther < 0 ? messages.length : firstOther;
  if (numLeading === 0) return numbered;
  const content = messages.slice(0, numLeading).map(textOf).join('\n\n');
  return [{ message: { role: 'system', content }, index: 0 }, ...numbered.slice(numLeading)];
}

/** Text parts in order, as one text. */
function textOf(message: WireMessage): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? (part as { refusal?: string }).refusal ?? '').join('');
}

function toTemplateMessage(message: WireMessage, index: number, traits: TemplateTraits): TemplateMessage {
  const role = message.role === 'developer' ? 'system' : message.role;
  const calls = message.tool_calls ?? [];
  const reasoning = message.reasoning_content ?? message.reasoning ?? null;
  const content = textOf(message);
  return {
    role,
    content,
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(role === 'assistant' && reasoning !== null ? reasoningFields(reasoning, content, traits) : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, at) => toTemplateCall(call, index, at, traits)) }),
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: callId(message.tool_call_id, traits) }),
  };
}

/** The field the template reads. One that reads `thinking` may refuse it beside an answer, and then drops it anyway. */
function reasoningFields(reasoning: string, content: string, traits: TemplateTraits): Record<string, string> {
  if (traits.reasoningField === 'thinking' && content !== '') return {};
  return { [traits.reasoningField]: reasoning };
}

function toTemplateCall(call: WireToolCall, index: number, at: number, traits: TemplateTraits): unknown {
  const field = `messages[${index}].tool_calls[${at}].function.arguments`;
  const { name } = call.function;
  const given = readArguments(call.function.arguments, field);
  return {
    ...(call.id === undefined ? {} : { id: callId(call.id, traits) }),
    type: 'function',
    function: { name, arguments: traits.argumentsAs === 'text' ? given.text : given.value },
  };
}

function readArguments(given: unknown, field: string): { value: unknown; text: string } {
  if (given === undefined || given === null || given === '') return { value: {}, text: '{}' };
  if (typeof given !== 'string') return { value: given, text: JSON.stringify(given) };
  const refuse = (reason: string) =>
    new RequestError(`${field} must be JSON text of an object: ${reason}`, { param: field });
  let value: unknown;
  try {
    value = parseJson(given);
  } catch (error) {
    throw refuse((error as Error).message);
  }
  if (!(value instanceof Dict)) throw refuse(`got ${given.slice(0, 40)}`);
  return { value, text: given };
}

/** Some templates take ids of nine letters and digits only: others get one made from theirs. */
function callId(id: string, traits: TemplateTraits): string {
  if (!traits.wantsShortIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
}

/** A system message where the template can render one, else a user message. */
function placeSystem(message: TemplateMessage, index: number, traits: TemplateTraits): TemplateMessage {
  if (message.role !== 'system') return message;
  const form = index === 0 ? traits.firstSystem : traits.lateSystem;
  if (form === 'parts') return { ...message, content: [{ type: 'text', text: message['content'] }] };
  return form === 'user' ? { ...message, role: 'user' } : message;
}

/** For templates whose roles must alternate. */
function mergeUsers(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const merged: TemplateMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      merged[merged.length - 1] = { ...last, content: `${String(last['content'])}\n\n${String(message['content'])}` };
    } else {
      merged.push(message);
    }
  }
  return merged;
}
