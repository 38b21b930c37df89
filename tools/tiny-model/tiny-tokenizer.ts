// A small byte-level BPE vocabulary with ChatML's tokens, as GGUF metadata. Merges are learned from the text below.

import { byteChars, toByteAlphabet } from '../../libs/engine-native/src/tokenizer/byte-alphabet.ts';
import type { GgufInput } from './gguf-writer.ts';

const controlTokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];
const markerTokens = ['<think>', '</think>', '<tool_call>', '</tool_call>'];

/** Least tokens: all bytes and the tokens above. */
export const leastVocabSize = 256 + controlTokens.length + markerTokens.length;

const text = `the cat sat on the mat and the other cat sat in the other room. she said that he is here, and that there is
more to read: one, two, three. system user assistant tool name arguments content role message. what is the weather in the
city today? it is warm and the sun is out. function return value const let for of while if else import export {"name":
"get_weather", "arguments": {"city": "Paris", "unit": "celsius"}} [1, 2, 3] true false null. Hello, world! Let me think
about this for a moment. The answer is 42. Thank you. This is a test of the engine; the quick brown fox jumps over it.
    return x + 1;\n    return y;\n\n`;

/** `tokenizer.ggml.*` and the chat template. Ids: bytes, merged tokens, unused ones, control, markers. */
export function tinyTokenizer(
  vocabSize: number,
  options: { addBos: boolean; chatTemplate: string },
): Record<string, GgufInput> {
  const numMerges = vocabSize - leastVocabSize;
  if (numMerges < 0) throw new Error(`vocabSize must be at least ${leastVocabSize}, got ${vocabSize}`);
  const merges = learnMerges(numMerges);
  const merged = merges.map(([left, right]) => left + right);
  const unused = Array.from({ length: numMerges - merged.length }, (_, i) => `[unused${i}]`);
  const tokens = [...byteChars, ...merged, ...unused, ...controlTokens, ...markerTokens];
  const kinds = [
    ...Array.from({ length: 256 + merged.length }, () => 1),
    ...unused.map(() => 5),
    ...controlTokens.map(() => 3),
    ...markerTokens.map(() => 4),
  ];
  return {
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'qwen2' },
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
    'tokenizer.ggml.token_type': { type: 'i32s', value: kinds },
    'tokenizer.ggml.merges': { type: 'strings', value: merges.map(([left, right]) => `${left} ${right}`) },
    'tokenizer.ggml.bos_token_id': { type: 'u32', value: tokens.indexOf('<|endoftext|>') },
    'tokenizer.ggml.eos_token_id': { type: 'u32', value: tokens.indexOf('<|im_end|>') },
    'tokenizer.ggml.padding_token_id': { type: 'u32', value: tokens.indexOf('<|endoftext|>') },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: options.addBos },
    'tokenizer.chat_template': { type: 'string', value: options.chatTemplate },
  };
}

/** The most frequent pair first, ties by text; as many as asked or as the text has. */
function learnMerges(limit: number): [string, string][] {
  let words = (text.match(/ ?[a-zA-Z]+| ?[^\sa-zA-Z]+|\s+/g) ?? []).map((word) => Array.from(toByteAlphabet(word)));
  const merges: [string, string][] = [];
  while (merges.length < limit) {
    const counts = new Map<string, number>();
    for (const word of words) {
      for (let i = 0; i + 1 < word.length; i += 1) {
        const pair = `${word[i]} ${word[i + 1]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + 1);
      }
    }
    const ranked = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const best = ranked[0]?.[0];
    if (best === undefined) break;
    const [left, right] = best.split(' ') as [string, string];
    merges.push([left, right]);
    words = words.map((word) => join(word, left, right));
  }
  return merges;
}

function join(word: readonly string[], left: string, right: string): string[] {
  const out: string[] = [];
  for (const part of word) {
    if (part === right && out.at(-1) === left) out[out.length - 1] = left + right;
    else out.push(part);
  }
  return out;
}

/** ChatML with tools and thinking, in our own words. */
export const tinyChatTemplate = `{%- macro turn(role, text) -%}
{{- '<|im_start|>' + role + '\\n' + text + '<|im_end|>\\n' -}}
{%- endmacro -%}
{%- set system = messages[0].content if messages and messages[0].role == 'system' else '' -%}
{%- if tools -%}
{{- '<|im_start|>system\\n' -}}
{%- if system -%}{{- system + '\\n\\n' -}}{%- endif -%}
{{- '# Tools\\nCall a function by writing <tool_call>\\n{"name": NAME, "arguments": OBJECT}\\n</tool_call>. Functions:' -}}
{%- for tool in tools -%}{{- '\\n' + (tool | tojson) -}}{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- elif system -%}
{{- turn('system', system) -}}
{%- endif -%}
{%- for message in messages -%}
{%- if message.role == 'system' -%}
{%- if not loop.first -%}{{- turn('system', message.content) -}}{%- endif -%}
{%- elif message.role == 'tool' -%}
{{- turn('tool', message.content) -}}
{%- elif message.role == 'assistant' -%}
{{- '<|im_start|>assistant\\n' -}}
{%- if message.content -%}{{- message.content -}}{%- endif -%}
{%- for call in message.tool_calls or [] -%}
{{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' -}}
{%- if call.function.arguments is string -%}{{- call.function.arguments -}}{%- else -%}{{- call.function.arguments | tojson -}}{%- endif -%}
{{- '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>\\n' -}}
{%- else -%}
{{- turn(message.role, message.content) -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
{{- '<|im_start|>assistant\\n' -}}
{%- if enable_thinking is defined and not enable_thinking -%}{{- '<think>\\n\\n</think>\\n\\n' -}}{%- endif -%}
{%- endif -%}`;
