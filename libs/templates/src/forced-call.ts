// The text that opens a call, taken from the template's own rendered call.

import type { ForcedToolCall } from '@tensorfold/protocol';
import type { CallSyntax, OfferedTools } from './tool-calls/syntax.ts';
import { probe, type RenderedCall } from './traits.ts';

const harmonyStart = '<|start|>assistant';

/** `empty`: the same call without arguments, for what follows a name in both. */
export function forcedToolCall(
  rendered: RenderedCall,
  empty: RenderedCall | null,
  syntax: CallSyntax | null,
  tools: OfferedTools,
): ForcedToolCall | null {
  const start = openerAt(rendered, syntax);
  if (start === null) return null;
  const opener = rendered.text.slice(start, rendered.nameAt);
  return {
    opener: [{ text: opener, source: 'template' }],
    names: [...tools.keys()],
    nameEnd: nameEnd(rendered, empty, syntax, tools),
  };
}

/** For a template that writes no call: its model was shown none, so all up to the first argument is written for it. */
export function forcedHermesCall(tools: OfferedTools): ForcedToolCall {
  const hasParameters = [...tools.values()].every(({ size }) => size > 0);
  return {
    opener: [{ text: '<tool_call>\n{"name": "', source: 'template' }],
    names: [...tools.keys()],
    nameEnd: `", "arguments": ${hasParameters ? '{"' : '{'}`,
  };
}

function openerAt({ text, nameAt }: RenderedCall, syntax: CallSyntax | null): number | null {
  if (syntax === null) {
    // Harmony: the prompt has written the start of the message.
    const start = text.lastIndexOf(harmonyStart, nameAt);
    return start < 0 ? null : start + harmonyStart.length;
  }
  const start = text.lastIndexOf(syntax.opener, nameAt);
  if (start >= 0) return start;
  const object = text.lastIndexOf('{', nameAt);
  return syntax.bare && object >= 0 ? object : null;
}

/** The marker or first character that follows a name: with arguments, without, or what both have in common. */
function nameEnd(
  rendered: RenderedCall,
  empty: RenderedCall | null,
  syntax: CallSyntax | null,
  tools: OfferedTools,
): string {
  const closer = syntax?.closer ?? null;
  const markers = syntax === null ? ['<|channel|>'] : [...syntax.inner, ...(closer === null ? [] : [closer])];
  const endOf = (call: RenderedCall) => {
    const after = call.text.slice(call.nameAt + probe.name.length);
    return markers.find((marker) => after.startsWith(marker)) ?? after.slice(0, 1);
  };
  const withArguments = endOf(rendered);
  const without = empty === null ? withArguments : endOf(empty);
  const parameters = [...tools.values()];
  if (withArguments === without || parameters.every(({ size }) => size > 0)) return withArguments;
  if (parameters.every(({ size }) => size === 0)) return without;
  return withArguments[0] === without[0] ? withArguments.slice(0, 1) : '';
}
