// Calls as JSON objects {"name": ..., "arguments": {...}}: between tags (Hermes, Qwen), in a list (Nemotron v2, Mistral), or bare (Llama).

import { Text } from '../jinja/text.ts';
import { Dict } from '../jinja/values.ts';
import { readJsonMembers, splitJsonValues } from '../json-text.ts';
import { type BlockPart, type CallSyntax, insideOf, type ReadCall } from './syntax.ts';

export const hermesJson = jsonBetween('hermes-json', '<tool_call>', '</tool_call>');
export const toolCallList = jsonBetween('toolcall-list', '<TOOLCALL>', '</TOOLCALL>');

/** Llama 3: the whole answer is a call, or several with semicolons between; built-in tools go through `<|python_tag|>`. */
export const llamaJson: CallSyntax = {
  ...jsonBetween('llama-json', '<|python_tag|>', null),
  bare: true,
};

/** Mistral: `[TOOL_CALLS]NAME[ARGS]{...}`, `[TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{...}`, or `[TOOL_CALLS][{...}, ...]`. */
export const mistralJson: CallSyntax = {
  ...jsonBetween('mistral-json', '[TOOL_CALLS]', null),
  inner: ['[ARGS]', '[CALL_ID]'],
  read(block) {
    const inside = insideOf(block, '[TOOL_CALLS]', null);
    const named = /^\s*([^[\]{}\s]+)\s*(?:\[CALL_ID\][^[\]]*)?(?:\[ARGS\])?\s*(\{[^]*)$/.exec(inside);
    if (named === null) return readObjects(inside, block);
    const argumentsText = readArguments(named[2]);
    return argumentsText === null ? null : [{ type: 'call', name: named[1]!, argumentsText, source: block }];
  },
};

function jsonBetween(name: string, opener: string, closer: string | null): CallSyntax {
  return {
    name,
    opener,
    closer,
    inner: [],
    bare: false,
    closesEach: false,
    read: (block) => readObjects(insideOf(block, opener, closer), block),
    endsInsideText: (block) => endsInsideString(insideOf(block, opener, null)),
  };
}

/** Objects one after the other, or one list of them. */
function readObjects(json: string, block: string): BlockPart[] | null {
  const trimmed = json.trim();
  const isList = trimmed.startsWith('[') && trimmed.endsWith(']');
  const objects = splitJsonValues(isList ? trimmed.slice(1, -1) : trimmed);
  if (objects === null || objects.length === 0) return null;
  const calls = objects.map((object) => readCall(object, objects.length === 1 ? block : object));
  return calls.every((call) => call !== null) ? calls : null;
}

function readCall(json: string, source: string): ReadCall | null {
  const members = readJsonMembers(json);
  const inner = members?.get('function');
  if (inner?.value instanceof Dict) return readCall(inner.text, source);
  const name = (members?.get('name') ?? inner)?.value;
  if (!(name instanceof Text)) return null;
  const given = members?.get('arguments') ?? members?.get('parameters');
  const argumentsText = readArguments(given?.text);
  return argumentsText === null ? null : { type: 'call', name: name.value, argumentsText, source };
}

/** An object as the model wrote it; also one wrapped in a string. null where it is none. */
export function readArguments(json: string | undefined): string | null {
  if (json === undefined || json.trim() === '' || json.trim() === 'null') return '{}';
  const text = json.trim().startsWith('"') ? unquote(json.trim()) : json.trim();
  return text !== null && readJsonMembers(text) !== null ? text.trim() : null;
}

function unquote(json: string): string | null {
  try {
    return JSON.parse(json) as string;
  } catch {
    return null;
  }
}

/** The JSON so far has an open string. */
export function endsInsideString(json: string): boolean {
  let isInside = false;
  for (let at = 0; at < json.length; at += 1) {
    if (isInside && json[at] === '\\') at += 1;
    else if (json[at] === '"') isInside = !isInside;
  }
  return isInside;
}
