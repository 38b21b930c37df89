// GLM: <tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>...</tool_call>, with or without newlines between.

import type { CallSyntax } from './syntax.ts';
import { TaggedCalls, type TaggedForm } from './tagged.ts';

const form: TaggedForm = {
  nameStart: '',
  nameEnd: '',
  keyStart: '<arg_key>',
  keyEnd: '</arg_key>',
  valueStart: '<arg_value>',
  valueEnd: '</arg_value>',
  callEnd: '',
  isLast: true,
  hasNewlines: false,
};

export const glm: CallSyntax = {
  name: 'glm',
  opener: '<tool_call>',
  closer: '</tool_call>',
  inner: ['<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
  bare: false,
  createReader: (tools) => new TaggedCalls(form, tools),
};
