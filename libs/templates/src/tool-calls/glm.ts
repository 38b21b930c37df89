// GLM: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>...</tool_call>, with or without newlines between.

import { type CallSyntax, insideOf } from './syntax.ts';
import { jsonObject, typedJson } from './typed-value.ts';

const opener = '<tool_call>';
const closer = '</tool_call>';

export const glm: CallSyntax = {
  name: 'glm',
  opener,
  closer,
  inner: ['<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
  bare: false,
  closesEach: false,
  read(block, tools) {
    const match = /^\s*([^\s<>{}"]+)\s*((?:<arg_key>[^]*)?)$/.exec(insideOf(block, opener, closer));
    if (match === null) return null;
    const name = match[1]!;
    const types = tools.get(name);
    const members: [string, string][] = [];
    let rest = match[2]!.trimEnd();
    while (rest !== '') {
      const pair = /^<arg_key>([^]*?)<\/arg_key>\s*<arg_value>([^]*?)<\/arg_value>\s*(?=<arg_key>|$)/.exec(rest);
      if (pair === null) return null;
      const key = pair[1]!.trim();
      members.push([key, typedJson(pair[2]!, types?.get(key))]);
      rest = rest.slice(pair[0].length);
    }
    return [{ type: 'call', name, argumentsText: jsonObject(members), source: block }];
  },
  endsInsideText: (block) => block.lastIndexOf('<arg_value>') > block.lastIndexOf('</arg_value>'),
};
