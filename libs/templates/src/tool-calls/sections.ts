// Syntaxes whose block holds several calls, each with markers of its own: DeepSeek, Kimi K2, MiniMax M2.

import { readArguments } from './json.ts';
import { type BlockPart, type CallSyntax, insideOf, type OfferedTools, type ReadCall } from './syntax.ts';
import { jsonObject, typedJson } from './typed-value.ts';

export const deepseek: CallSyntax = section({
  name: 'deepseek',
  opener: '<｜tool▁calls▁begin｜>',
  closer: '<｜tool▁calls▁end｜>',
  inner: ['<｜tool▁call▁begin｜>', '<｜tool▁sep｜>', '<｜tool▁call▁end｜>'],
  call: /<｜tool▁call▁begin｜>([^]*?)<｜tool▁call▁end｜>/g,
  readCall(body) {
    // V3.1 writes NAME and bare JSON; V3 and R1 the kind of tool, NAME and JSON in a code fence.
    const [head = '', ...rest] = body.split('<｜tool▁sep｜>');
    const tail = rest.join('<｜tool▁sep｜>');
    const fenced = /^([^\n]+)\n```(?:json)?\n([^]*?)\n?```\s*$/.exec(tail);
    return fenced === null ? [head.trim(), readArguments(tail)] : [fenced[1]!.trim(), readArguments(fenced[2])];
  },
});

export const kimi: CallSyntax = section({
  name: 'kimi',
  opener: '<|tool_calls_section_begin|>',
  closer: '<|tool_calls_section_end|>',
  inner: ['<|tool_call_begin|>', '<|tool_call_argument_begin|>', '<|tool_call_end|>'],
  call: /<\|tool_call_begin\|>([^]*?)<\|tool_call_end\|>/g,
  readCall(body) {
    // The id carries the name: functions.NAME:0.
    const [id = '', ...rest] = body.split('<|tool_call_argument_begin|>');
    const name = id
      .trim()
      .replace(/^functions\./, '')
      .replace(/:\d+$/, '');
    return [name, readArguments(rest.join('<|tool_call_argument_begin|>'))];
  },
});

export const minimax: CallSyntax = section({
  name: 'minimax',
  opener: '<minimax:tool_call>',
  closer: '</minimax:tool_call>',
  inner: [],
  call: /<invoke name="([^"\n]+)">([^]*?)<\/invoke>/g,
  readCall(_body, tools, match) {
    const name = match[1]!;
    const members: [string, string][] = [];
    let rest = match[2]!.trim();
    while (rest !== '') {
      const pair = /^<parameter name="([^"\n]+)">([^]*?)<\/parameter>\s*(?=<parameter name=|$)/.exec(rest);
      if (pair === null) return [name, null];
      members.push([pair[1]!, typedJson(pair[2]!, tools.get(name)?.get(pair[1]!))]);
      rest = rest.slice(pair[0].length);
    }
    return [name, jsonObject(members)];
  },
});

interface SectionForm extends Pick<CallSyntax, 'name' | 'opener' | 'closer' | 'inner'> {
  /** One call; its first group is the body given to `readCall`. */
  readonly call: RegExp;
  readCall(body: string, tools: OfferedTools, match: RegExpMatchArray): [name: string, argumentsText: string | null];
}

function section(form: SectionForm): CallSyntax {
  const { name, opener, closer, inner } = form;
  return {
    name,
    opener,
    closer,
    inner,
    bare: false,
    closesEach: true,
    endsInsideText: () => false,
    read(block, tools) {
      const inside = insideOf(block, opener, closer);
      const parts: BlockPart[] = [];
      const pushText = (source: string) => {
        if (source.trim() !== '') parts.push({ type: 'text', source });
      };
      let at = 0;
      for (const match of inside.matchAll(form.call)) {
        pushText(inside.slice(at, match.index));
        const [callName, argumentsText] = form.readCall(match[1]!, tools, match);
        if (argumentsText === null || callName === '') pushText(match[0]);
        else parts.push({ type: 'call', name: callName, argumentsText, source: match[0] } satisfies ReadCall);
        at = match.index + match[0].length;
      }
      pushText(inside.slice(at));
      return parts.some((part) => part.type === 'call') ? parts : null;
    },
  };
}
