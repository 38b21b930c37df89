// Template source to tokens for @huggingface/jinja's parser. Text, tags and blanks are cut here as Jinja2's lexer cuts them
// (trim_blocks, lstrip_blocks, raw, `+`/`-` signs, strings that span lines); the library reads the inside of each tag.

import { tokenize } from '@huggingface/jinja';
import { isSpace } from './text.ts';

export type Token = ReturnType<typeof tokenize>[number];

export function scanTemplate(template: string): Token[] {
  const source = template.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  const tokens: Token[] = [];
  let at = 0;
  /** The text that follows starts a line: at the very start, or after a tag that swallowed a newline. */
  let lineStarts = true;
  while (at < source.length) {
    const open = findOpening(source, at);
    const tag = open === null ? null : readTag(source, open);
    const text = source.slice(at, open ?? source.length);
    pushText(tokens, tag === null ? text : trimBefore(text, tag, lineStarts));
    if (tag === null) break;
    if (tag.kind === 'raw') pushText(tokens, tag.inner);
    else if (tag.kind !== 'comment' && !isGenerationTag(tag)) tokens.push(...readInside(tag));
    at = tag.end;
    lineStarts = source[at - 1] === '\n';
  }
  return tokens;
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
  const opening = /^\s*raw\s*(?:-%\}\s*|%\}\n?)/.exec(source.slice(start, start + 200));
  if (opening === null) return null;
  const bodyStart = start + opening[0].length;
  const closing = /\{%([-+]?)\s*endraw\s*(?:-%\}\s*|\+?%\}\n?)/g;
  closing.lastIndex = bodyStart;
  const match = closing.exec(source);
  if (match === null) throw new SyntaxError('a raw block is not closed');
  const body = source.slice(bodyStart, match.index);
  return { inner: match[1] === '-' ? body.trimEnd() : body, end: match.index + match[0].length };
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

function trimBefore(text: string, tag: Tag, lineStarts: boolean): string {
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

function pushText(tokens: Token[], value: string): void {
  if (value !== '') tokens.push({ value, type: 'Text' });
}

/** transformers marks the assistant's text for training; to a server the marks say nothing. */
function isGenerationTag(tag: Tag): boolean {
  return tag.kind === 'block' && /^\s*(?:end)?generation\s*$/.test(tag.inner);
}

function readInside(tag: Tag): Token[] {
  const [open, close] = tag.kind === 'block' ? ['{%', '%}'] : ['{{', '}}'];
  return namedTests(tokenize(`${open} ${rewriteStrings(tag.inner)} ${close}`));
}

/** Strings in the one form that the library reads as Python would; newlines between words become blanks. */
function rewriteStrings(inner: string): string {
  let result = '';
  for (let at = 0; at < inner.length;) {
    const character = inner[at]!;
    if (character === '"' || character === "'") {
      const end = endOfString(inner, at);
      result += writeString(readString(inner.slice(at + 1, end - 1)));
      at = end;
    } else {
      result += isSpace(character) ? ' ' : character;
      at += 1;
    }
  }
  return result;
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

/**
 * The library's parser knows no test with an argument. `x is NAME(a)` becomes `x|is NAME(a)`: a filter whose name holds a
 * blank, which no template can write itself and which evaluate.ts reads as the test.
 */
function namedTests(tokens: Token[]): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]!;
    const negated = isWord(tokens[at + 1], 'not');
    const name = tokens[at + (negated ? 2 : 1)];
    const after = at + (negated ? 3 : 2);
    const argument = isWord(token, 'is') && name?.type === 'Identifier' ? argumentAfter(tokens, after) : null;
    if (argument === null || name === undefined) {
      result.push(token);
      continue;
    }
    result.push({ value: '|', type: 'Pipe' });
    result.push({ value: `${negated ? 'is not' : 'is'} ${name.value}`, type: 'Identifier' });
    result.push(...argument);
    // A bare argument was taken with its brackets; a bracket is left to the parser.
    at = argument.length > 0 ? after : after - 1;
  }
  return result;
}

const afterTest = new Set(['else', 'or', 'and', 'is', 'in', 'not', 'if']);

/** What follows a test's name as its argument: `(` as it is, one bare word or literal in brackets, else null. */
function argumentAfter(tokens: readonly Token[], at: number): Token[] | null {
  const next = tokens[at];
  if (next === undefined) return null;
  if (next.type === 'OpenParen') return [];
  const bare =
    next.type === 'StringLiteral' ||
    next.type === 'NumericLiteral' ||
    (next.type === 'Identifier' && !afterTest.has(next.value));
  if (!bare) return null;
  return [{ value: '(', type: 'OpenParen' }, next, { value: ')', type: 'CloseParen' }];
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.type === 'Identifier' && token.value === word;
}
