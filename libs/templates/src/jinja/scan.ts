// Template source to text and tokens. Text, tags and blanks are cut here as Jinja2's lexer cuts them
// (trim_blocks, lstrip_blocks, raw, `+`/`-` signs, strings that span lines); the library cuts the inside of each tag to words.

import { tokenize } from '@huggingface/jinja';
import { isSpace } from './text.ts';

export type Token = ReturnType<typeof tokenize>[number];

/** What stands inside one tag, and the line it begins in. */
export interface TagTokens {
  readonly kind: 'block' | 'variable';
  readonly tokens: readonly Token[];
  readonly line: number;
}

/** Text and tags in their order; comments are gone, raw blocks are text. */
export function scanTemplate(template: string): (TagTokens | string)[] {
  const source = template.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const parts: (TagTokens | string)[] = [];
  let at = 0;
  let line = 1;
  /** The text that follows starts a line: at the very start, or after a tag that swallowed a newline. */
  let lineStarts = true;
  while (at < source.length) {
    const open = findOpening(source, at);
    line += countLines(source, at, open ?? source.length);
    const tag = open === null ? null : inLine(line, () => readTag(source, open));
    const text = source.slice(at, open ?? source.length);
    pushText(parts, tag === null ? text : trimBefore(text, tag, lineStarts));
    if (open === null || tag === null) break;
    const { kind } = tag;
    if (kind === 'raw') pushText(parts, tag.inner);
    else if (kind !== 'comment') parts.push({ kind, tokens: inLine(line, () => readInside(tag.inner)), line });
    at = tag.end;
    line += countLines(source, open, at);
    lineStarts = source[at - 1] === '\n';
  }
  return parts;
}

function countLines(source: string, start: number, end: number): number {
  let count = 0;
  for (let at = source.indexOf('\n', start); at >= 0 && at < end; at = source.indexOf('\n', at + 1)) count += 1;
  return count;
}

function inLine<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof SyntaxError ? new SyntaxError(`line ${line}: ${error.message}`) : error;
  }
}

interface Tag {
  readonly kind: 'block' | 'variable' | 'comment' | 'raw';
  readonly inner: string;
  /** `-` strips the blanks before, `+` keeps them all, '' leaves it to lstrip_blocks. */
  readonly sign: string;
  readonly end: number;
}

function findOpening(source: string, from: number): number | null {
  for (let at = source.indexOf('{', from); at >= 0; at = source.indexOf('{', at + 1)) {
    const next = source[at + 1];
    if (next === '{' || next === '%' || next === '#') return at;
  }
  return null;
}

function readTag(source: string, open: number): Tag {
  const kind = source[open + 1] === '{' ? 'variable' : source[open + 1] === '%' ? 'block' : 'comment';
  let start = open + 2;
  const sign = source[start] === '-' || source[start] === '+' ? source[start]! : '';
  start += sign.length;
  if (kind === 'comment') {
    const close = source.indexOf('#}', start);
    if (close < 0) throw new SyntaxError('a comment is not closed');
    return { kind, inner: '', sign, end: endAfter(source, close, 'comment') };
  }
  const raw = kind === 'block' ? readRaw(source, start) : null;
  if (raw !== null) return { kind: 'raw', sign, ...raw };
  const close = findClosing(source, start, kind);
  const last = source[close - 1];
  const innerEnd = close > start && (last === '-' || (last === '+' && kind === 'block')) ? close - 1 : close;
  return { kind, inner: source.slice(start, innerEnd), sign, end: endAfter(source, close, kind) };
}

/** Where the tag that closes at `close` ends, with the blanks it swallows. */
function endAfter(source: string, close: number, kind: 'block' | 'variable' | 'comment'): number {
  let end = close + 2;
  if (source[close - 1] === '-') {
    while (end < source.length && isSpace(source[end]!)) end += 1;
  } else if (kind !== 'variable' && source[close - 1] !== '+' && source[end] === '\n') {
    end += 1;
  }
  return end;
}

function readRaw(source: string, start: number): { inner: string; end: number } | null {
  const opening = /^\s*raw\s*(?:-%\}\s*|%\})/.exec(source.slice(start, start + 200));
  if (opening === null) return null;
  const bodyStart = start + opening[0].length;
  const closing = /\{%([-+]?)\s*endraw\s*(?:-%\}\s*|\+%\}|%\}\n?)/g;
  closing.lastIndex = bodyStart;
  const match = closing.exec(source);
  if (match === null) throw new SyntaxError('a raw block is not closed');
  const body = source.slice(bodyStart, match.index);
  const end = match.index + match[0].length;
  return { inner: trimBefore(body, { kind: 'block', sign: match[1]! }, opening[0].endsWith('\n')), end };
}

/** Where `%}` or `}}` stands, past strings and balanced brackets. */
function findClosing(source: string, start: number, kind: 'block' | 'variable'): number {
  const closer = kind === 'block' ? '%}' : '}}';
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const character = source[at]!;
    if (depth <= 0 && source.startsWith(closer, at)) return at;
    if (character === '"' || character === "'") at = endOfString(source, at) - 1;
    else if ('{[('.includes(character)) depth += 1;
    else if ('}])'.includes(character)) depth -= 1;
  }
  throw new SyntaxError(`a ${kind === 'block' ? '{%' : '{{'} is not closed`);
}

function endOfString(source: string, start: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote) return at + 1;
  }
  throw new SyntaxError('a string is not closed');
}

function trimBefore(text: string, tag: Pick<Tag, 'kind' | 'sign'>, lineStarts: boolean): string {
  if (tag.sign === '-') {
    let end = text.length;
    while (end > 0 && isSpace(text[end - 1]!)) end -= 1;
    return text.slice(0, end);
  }
  if (tag.sign === '+' || tag.kind === 'variable') return text;
  const lineStart = text.lastIndexOf('\n') + 1;
  if (lineStart === 0 && !lineStarts) return text;
  return Array.from(text.slice(lineStart)).every(isSpace) ? text.slice(0, lineStart) : text;
}

function pushText(parts: (TagTokens | string)[], value: string): void {
  if (value !== '') parts.push(value);
}

function readInside(inner: string): Token[] {
  return tokenize(`{{ ${rewriteLiterals(inner)} }}`).slice(1, -1);
}

const numbers =
  /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][-+]?\d+(?:_\d+)*)?/y;

/** Strings and numbers in the one form that the library reads as Python would; newlines between words become blanks. */
function rewriteLiterals(inner: string): string {
  let result = '';
  for (let at = 0; at < inner.length;) {
    const character = inner[at]!;
    if (character === '"' || character === "'") {
      const end = endOfString(inner, at);
      result += writeString(readString(inner.slice(at + 1, end - 1)));
      at = end;
    } else if (/\d/.test(character)) {
      // `x.0.1` is two indices.
      const [digits] = result.endsWith('.') ? /^\d+/.exec(inner.slice(at))! : matchAt(numbers, inner, at);
      result += writeNumber(digits.replaceAll('_', ''));
      at += digits.length;
    } else if (/\w/.test(character)) {
      const [word] = matchAt(/\w+/y, inner, at);
      result += word;
      at += word.length;
    } else {
      result += isSpace(character) ? ' ' : character;
      at += 1;
    }
  }
  return result;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray {
  pattern.lastIndex = at;
  return pattern.exec(text)!;
}

/** An integer as decimal digits; a float as digits with a point, without an exponent. */
function writeNumber(text: string): string {
  if (/^0[xob]/i.test(text)) return BigInt(text.toLowerCase()).toString();
  if (!/[.e]/i.test(text)) return text;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new SyntaxError(`the number ${text} is too large`);
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const digits = mantissa.replace('.', '');
  const exponent = Number(exponentText);
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${whole}.${digits.slice(exponent + 1) || '0'}`;
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

/** Python's escapes; a backslash before anything else stays. */
function readString(body: string): string {
  return body.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([^]))/g,
    (whole: string, x?: string, u?: string, U?: string, octal?: string, single?: string) => {
      const hex = x ?? u ?? U;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if ('xuUN'.includes(single ?? '-')) throw new SyntaxError(`the escape \\${single} cannot be read`);
      return escapes[single ?? ''] ?? whole;
    },
  );
}

function writeString(value: string): string {
  const body = value
    .replace(/[\\"]/g, '\\$&')
    .replace(/[{}\n\r]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `"${body}"`;
}
