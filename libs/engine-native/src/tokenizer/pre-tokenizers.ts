// Cuts text into the pieces that byte-pair merging may not cross. One form for tokenizer.json and for GGUF's names.

import { compileOnig, literalPattern } from './onig-regex.ts';

/** Calls `emit` with the pieces of `text` in order. `first` is true where the text begins the whole input. */
export type PreTokenizer = (text: string, first: boolean, emit: (piece: string) => void) => void;

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const tail = '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const patterns = {
  gpt2: "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  llama3: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}${tail}`,
  qwen2: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${tail}`,
  qwen35: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  deepseekWords:
    '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+' +
    '| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
};

/** GGUF's `tokenizer.ggml.pre`. */
const named: Readonly<Record<string, () => PreTokenizer>> = {
  'gpt-2': () => isolate(patterns.gpt2),
  smollm: () => chain([isolate('\\p{N}'), isolate(patterns.gpt2)]),
  'llama-bpe': () => isolate(patterns.llama3),
  llama3: () => isolate(patterns.llama3),
  'llama-v3': () => isolate(patterns.llama3),
  pixtral: () => isolate(patterns.llama3),
  glm4: () => isolate(patterns.llama3),
  'chatglm-bpe': () => isolate(patterns.llama3),
  qwen2: () => isolate(patterns.qwen2),
  'deepseek-r1-qwen': () => isolate(patterns.qwen2),
  qwen35: () => isolate(patterns.qwen35),
  'deepseek-v3': () =>
    chain([isolate('\\p{N}{1,3}'), isolate('[一-龥\\u3040-ゟ゠-ヿ]+'), isolate(patterns.deepseekWords)]),
};

/** The pre-tokenizer of a GGUF name. Throws an Error that lists the known ones. */
export function preTokenizerByName(name: string): PreTokenizer {
  const make = Object.hasOwn(named, name) ? named[name] : undefined;
  if (make !== undefined) return make();
  throw new Error(`pre-tokenizer "${name}" is not supported; supported: ${Object.keys(named).join(', ')}`);
}

/** tokenizer.json's `pre_tokenizer`, already parsed. Throws an Error that names what is not supported. */
export function preTokenizerFromJson(json: unknown): PreTokenizer {
  if (json === null || json === undefined) return (text, _first, emit) => emit(text);
  const node = json as Readonly<Record<string, unknown>>;
  switch (node['type']) {
    case 'Sequence':
      return chain((node['pretokenizers'] as readonly unknown[]).map(preTokenizerFromJson));
    case 'Split':
      return splitFromJson(node);
    case 'ByteLevel': {
      const words = node['use_regex'] === false ? null : isolate(patterns.gpt2);
      const prefix = node['add_prefix_space'] === true;
      return (text, first, emit) => {
        const full = prefix && !text.startsWith(' ') ? ` ${text}` : text;
        if (words === null) emit(full);
        else words(full, first, emit);
      };
    }
    case 'Digits':
      return isolate(node['individual_digits'] === true ? '\\p{N}' : '\\p{N}+');
    case 'Whitespace':
      return split('\\w+|[^\\w\\s]+', 'Removed', true);
    case 'WhitespaceSplit':
      return split('\\s+', 'Removed', false);
    case 'Punctuation':
      return split('[\\p{P}!-/:-@\\[-`{-~]', String(node['behavior'] ?? 'Isolated'), false);
    case 'Metaspace':
      return metaspace(node);
    default:
      throw new Error(`pre-tokenizer "${String(node['type'])}" of tokenizer.json is not supported`);
  }
}

function splitFromJson(node: Readonly<Record<string, unknown>>): PreTokenizer {
  const given = node['pattern'] as { readonly Regex?: string; readonly String?: string };
  const pattern = given.Regex ?? literalPattern(given.String ?? '');
  return split(pattern, String(node['behavior']), node['invert'] === true);
}

function metaspace(node: Readonly<Record<string, unknown>>): PreTokenizer {
  const mark = String(node['replacement'] ?? '\u2581');
  const scheme = String(node['prepend_scheme'] ?? (node['add_prefix_space'] === false ? 'never' : 'always'));
  const words = node['split'] === false ? null : split(literalPattern(mark), 'MergedWithNext', false);
  return (text, first, emit) => {
    let full = text.replaceAll(' ', mark);
    const prepends = scheme === 'always' || (scheme === 'first' && first);
    if (prepends && !full.startsWith(mark)) full = mark + full;
    if (words === null) emit(full);
    else words(full, first, emit);
  };
}

function chain(steps: readonly PreTokenizer[]): PreTokenizer {
  return (
    steps.reduceRight<PreTokenizer | null>((rest, step) => {
      if (rest === null) return step;
      return (text, first, emit) => {
        let atStart = first;
        step(text, first, (piece) => {
          rest(piece, atStart, emit);
          atStart = false;
        });
      };
    }, null) ?? ((text, _first, emit) => emit(text))
  );
}

/** Matches and what stands between them, each a piece. */
function isolate(pattern: string): PreTokenizer {
  const sticky = compileOnig(pattern, 'y');
  const global = compileOnig(pattern, 'g');
  return (text, _first, emit) => {
    let at = 0;
    while (at < text.length) {
      // The usual patterns match everywhere, and a sticky test makes no match object.
      sticky.lastIndex = at;
      if (sticky.test(text) && sticky.lastIndex > at) {
        emit(text.slice(at, sticky.lastIndex));
        at = sticky.lastIndex;
        continue;
      }
      const match = nextMatch(global, text, at);
      if (match === null) {
        emit(text.slice(at));
        return;
      }
      if (match.index > at) emit(text.slice(at, match.index));
      emit(match[0]);
      at = match.index + match[0].length;
    }
  };
}

/** The next non-empty match at or after `from`. */
function nextMatch(global: RegExp, text: string, from: number): RegExpExecArray | null {
  global.lastIndex = from;
  for (;;) {
    const match = global.exec(text);
    if (match === null || match[0] !== '') return match;
    global.lastIndex += 1;
  }
}

function split(pattern: string, behavior: string, invert: boolean): PreTokenizer {
  if (behavior === 'Isolated') return isolate(pattern);
  if (!['Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'].includes(behavior)) {
    throw new Error(`split behaviour "${behavior}" of tokenizer.json is not supported`);
  }
  const global = compileOnig(pattern, 'g');
  return (text, _first, emit) => {
    for (const piece of merged(spans(global, text, invert), behavior)) if (piece !== '') emit(piece);
  };
}

interface Span {
  readonly text: string;
  readonly isMatch: boolean;
}

function spans(global: RegExp, text: string, invert: boolean): Span[] {
  const out: Span[] = [];
  let at = 0;
  for (let match = nextMatch(global, text, 0); match !== null; match = nextMatch(global, text, at)) {
    if (match.index > at) out.push({ text: text.slice(at, match.index), isMatch: invert });
    out.push({ text: match[0], isMatch: !invert });
    at = match.index + match[0].length;
  }
  if (at < text.length) out.push({ text: text.slice(at), isMatch: invert });
  return out;
}

/** The library's own rules: a match joins its neighbour unless that neighbour is a match too. */
function merged(list: readonly Span[], behavior: string): string[] {
  if (behavior === 'Removed') return list.filter((span) => !span.isMatch).map((span) => span.text);
  const out: string[] = [];
  if (behavior === 'MergedWithNext') {
    let follower = false;
    for (const span of list.toReversed()) {
      const last = out.length - 1;
      if (span.isMatch && follower) out[last] = span.text + out[last]!;
      else out.push(span.text);
      follower = !span.isMatch;
    }
    return out.toReversed();
  }
  let previous: boolean | null = null;
  for (const span of list) {
    const joins = behavior === 'Contiguous' ? span.isMatch === previous : span.isMatch && previous === false;
    if (joins) out[out.length - 1] += span.text;
    else out.push(span.text);
    previous = span.isMatch;
  }
  return out;
}
