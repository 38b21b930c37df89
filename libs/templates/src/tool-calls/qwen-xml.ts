// Qwen3-Coder, Qwen3.5 and Nemotron 3: <tool_call><function=NAME><parameter=KEY>VALUE</parameter>...</function></tool_call>.

import { type CallSyntax, insideOf } from './syntax.ts';
import { jsonObject, typedJson } from './typed-value.ts';

const opener = '<tool_call>';
const closer = '</tool_call>';

export const qwenXml: CallSyntax = {
  name: 'qwen-xml',
  opener,
  closer,
  inner: [],
  bare: false,
  closesEach: false,
  read(block, tools) {
    const match = /^\s*<function=([^>\n]+)>([^]*)<\/function>\s*$/.exec(insideOf(block, opener, closer));
    if (match === null) return null;
    const name = match[1]!.trim();
    const parameters = readParameters(match[2]!);
    if (parameters === null) return null;
    const types = tools.get(name);
    const members = parameters.map(([key, text]): [string, string] => [key, typedJson(text, types?.get(key))]);
    return [{ type: 'call', name, argumentsText: jsonObject(members), source: block }];
  },
  endsInsideText: (block) => block.lastIndexOf('<parameter=') > block.lastIndexOf('</parameter>'),
};

/** The text between the markers, less the newline after the first and before the second. */
function readParameters(text: string): [string, string][] | null {
  const parameters: [string, string][] = [];
  let rest = text.trimStart();
  while (rest !== '') {
    // A closing tag inside a value is one that nothing of the markup follows.
    const match = /^<parameter=([^>\n]+)>\n?([^]*?)\n?<\/parameter>\s*(?=<parameter=|$)/.exec(rest);
    if (match === null) return null;
    parameters.push([match[1]!.trim(), match[2]!]);
    rest = rest.slice(match[0].length);
  }
  return parameters;
}
