// What is known of families beforehand, as data: think markers and call syntaxes. Which of them a checkpoint uses is found
// from its template (chat-template.ts), never from its name.

import { gemma } from '../tool-calls/gemma.ts';
import { glm } from '../tool-calls/glm.ts';
import { hermesJson, llamaJson, toolCallList } from '../tool-calls/json.ts';
import { minimax } from '../tool-calls/minimax.ts';
import { mistralJson } from '../tool-calls/mistral.ts';
import { qwenXml } from '../tool-calls/qwen-xml.ts';
import { deepseek, kimi } from '../tool-calls/sections.ts';
import type { CallSyntax } from '../tool-calls/syntax.ts';

export interface ThinkForm {
  readonly open: string;
  readonly close: string;
  /** Text after `open` that belongs to the marker. */
  readonly label: string;
  /** A block may open again after some answer (a channel); otherwise only before the answer. */
  readonly reopens: boolean;
}

export const thinkForms: readonly ThinkForm[] = [
  { open: '<think>', close: '</think>', label: '', reopens: false },
  { open: '<|channel>', close: '<channel|>', label: 'thought\n', reopens: true },
  { open: '[THINK]', close: '[/THINK]', label: '', reopens: false },
  { open: '<seed:think>', close: '</seed:think>', label: '', reopens: false },
  { open: '<thought>', close: '</thought>', label: '', reopens: false },
];

/** In the order they are tried on a rendered call: the strictest first. */
export const callSyntaxes: readonly CallSyntax[] = [
  qwenXml,
  hermesJson,
  glm,
  gemma,
  minimax,
  deepseek,
  kimi,
  toolCallList,
  mistralJson,
  llamaJson,
];
