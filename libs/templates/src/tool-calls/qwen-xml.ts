// Qwen3-Coder, Qwen3.5 and Nemotron 3: <tool_call><function=NAME><parameter=KEY>VALUE</parameter>...</function></tool_call>.

import type { CallSyntax } from './syntax.ts';
import { TaggedCalls, type TaggedForm } from './tagged.ts';

const form: TaggedForm = {
  nameStart: '<function=',
  nameEnd: '>',
  keyStart: '<parameter=',
  keyEnd: '>',
  valueStart: '',
  valueEnd: '</parameter>',
  callEnd: '</function>',
  isLast: true,
  hasNewlines: true,
};

export const qwenXml: CallSyntax = {
  name: 'qwen-xml',
  opener: '<tool_call>',
  closer: '</tool_call>',
  inner: [],
  bare: false,
  createReader: (tools) => new TaggedCalls(form, tools),
};
