// Cuts text into the pieces that byte-pair merging may not cross. One form for tokenizer.json and for GGUF's names.

import { replaceUnit } from './normalizers.ts';
import { compileOnig, literalPattern } from './onig-regex.ts';
import { scanIsolatingDigits, scanWords, type WordRules } from './word-scanner.ts';

/** A piece is text[start, end); the text may be another than was given, with a blank put in front. */
export type EmitPiece = (text: string, start: number, end: number) => void;

/** Calls `emit` with the pieces of `text` in order. `first` is true where the text begins the whole input. */
export type PreTokenizer = (text: string, first: boolean, emit: EmitPiece) => void;

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const tail = '| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
/** Exported for the scanner's test. */
export const patterns = {
  gpt2: "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  llama3: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}${tail}`,
  qwen2: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${tail}`,
  qwen35: `${contractions}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`,
  deepseekWords:
    '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+' +
    '| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+',
};

/** Patterns that the scanner knows. */
const scanned: ReadonlyMap<string, WordRules> = new Map([
  [patterns.gpt2, { style: 'gpt2', maxDigits: 1, marksAreLetters: false }],
  [patterns.llama3, { style: 'llama3', maxDigits: 3, marksAreLetters: false }],
  [patterns.qwen2, { style: 'llama3', maxDigits: 1, marksAreLetters: false }],
  [patterns.qwen35, { style: 'llama3', maxDigits: 1, marksAreLetters: true }],
]);

/** GGUF's `tokenizer.ggml.pre`. */
const named: Readonly<Record<string, () => PreTokenizer>> = {
  'gpt-2': () => words(patterns.gpt2),
  smollm: () => (text, _first, emit) =>
    scanIsolatingDigits(text, scanned.get(patterns.gpt2)!, (start, end) => emit(text, start, end)),
  'llama-bpe': () => words(patterns.llama3),
  llama3: () => words(patterns.llama3),
  'llama-v3': () => words(patterns.llama3),
  pixtral: () => words(patterns.llama3),
  glm4: () => words(patterns.llama3),
  'chatglm-bpe': () => words(patterns.llama3),
  qwen2: () => words(patterns.qwen2),
  'deepseek-r1-qwen': () => words(patterns.qwen2),
  qwen35: () => words(patterns.qwen35),
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
  if (json === null || json === undefined) return whole;
  const node = json as Readonly<Record<string, unknown>>;
  switch (node['type']) {
    case 'Sequence':
      return chain((node['pretokenizers'] as readonly unknown[]).map(preTokenizerFromJson));
    case 'Split':
      return splitFromJson(node);
    case 'ByteLevel': {
      const inner = node['use_regex'] === false ? whole : words(patterns.gpt2);
      if (node['add_prefix_space'] !== true) return inner;
      return (text, first, emit) => {
        inner(text.startsWith(' ') ? text : ` ${text}`, first, emit);
      };
    }
    case 'Digits':
      return isolate(node['individual_digits'] === true ? '\\p{N}' : '\\p{N}+');
    case 'Whitespace':
      return split('\\w+|[^\\w\\s]+', 'Removed', true);
    case 'WhitespaceSplit':
      return split('\\s+', 'Removed', false);
    case 'Punctuation':
      return split('[\\p{P}!-/:-@\\[-`{-~]', textOr(node['behavior'], 'Isolated'), false);
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
  const mark = textOr(node['replacement'], '\u2581');
  const scheme = textOr(node['prepend_scheme'], node['add_prefix_space'] === false ? 'never' : 'always');
  const inner = node['split'] === false ? whole : split(literalPattern(mark), 'MergedWithNext', false);
  return (text, first, emit) => {
    let full = mark.length === 1 ? replaceUnit(text, ' ', mark) : text.replaceAll(' ', mark);
    const prepends = scheme === 'always' || (scheme === 'first' && first);
    if (prepends && !full.startsWith(mark)) full = mark + full;
    inner(full, first, emit);
  };
}

function chain(steps: readonly PreTokenizer[]): PreTokenizer {
  return (
    steps
      .filter((step) => step !== whole)
      .reduceRight<PreTokenizer | null>((rest, step) => {
        if (rest === null) return step;
        return (text, first, emit) => {
          let atStart = first;
          step(text, first, (from, start, end) => {
            rest(from.slice(start, end), atStart, emit);
            atStart = false;
          });
        };
      }, null) ?? whole
  );
}

const whole: PreTokenizer = (text, _first, emit) => emit(text, 0, text.length);

/** One of the usual patterns, or any other by its regular expression. */
function words(pattern: string): PreTokenizer {
  const rules = scanned.get(pattern);
  if (rules === undefined) return isolate(pattern);
  return (text, _first, emit) => scanWords(text, 0, text.length, rules, (start, end) => emit(text, start, end));
}

/** Matches and what stands between them, each a piece. Exported for the scanner's test. */
export function isolate(pattern: string): PreTokenizer {
  const sticky = compileOnig(pattern, 'y');
  const global = compileOnig(pattern, 'g');
  return (text, _first, emit) => {
    let at = 0;
    while (at < text.length) {
      // The usual patterns match everywhere, and a sticky test makes no match object.
      sticky.lastIndex = at;
      if (sticky.test(text) && sticky.lastIndex > at) {
        const end = sticky.lastIndex;
        emit(text, at, end);
        at = end;
        continue;
      }
      const match = nextMatch(global, text, at);
      if (match === null) {
        emit(text, at, text.length);
        return;
      }
      if (match.index > at) emit(text, at, match.index);
      at = match.index + match[0].length;
      emit(text, match.index, at);
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
  if (behavior === 'Isolated') return words(pattern);
  if (!['Removed', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'].includes(behavior)) {
    throw new Error(`split behaviour "${behavior}" of tokenizer.json is not supported`);
  }
  const global = compileOnig(pattern, 'g');
  return (text, _first, emit) => {
    for (const piece of merged(spans(global, text, invert), behavior)) if (piece !== '') emit(piece, 0, piece.length);
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

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
