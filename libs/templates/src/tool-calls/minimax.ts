// MiniMax M2: <minimax:tool_call><invoke name="NAME"><parameter name="KEY">VALUE</parameter>...</invoke>...</minimax:tool_call>.

import type { CallSyntax } from './syntax.ts';
import { TaggedCalls, type TaggedForm } from './tagged.ts';

const form: TaggedForm = {
  nameStart: '<invoke name="',
  nameEnd: '">',
  keyStart: '<parameter name="',
  keyEnd: '">',
  valueStart: '',
  valueEnd: '</parameter>',
  callEnd: '</invoke>',
  isLast: false,
  hasNewlines: false,
};

export const minimax: CallSyntax = {
  name: 'minimax',
  opener: '<minimax:tool_call>',
  closer: '</minimax:tool_call>',
  inner: [],
  bare: false,
  createReader: (tools) => new TaggedCalls(form, tools),
};
