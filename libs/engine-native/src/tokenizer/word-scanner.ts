// The usual byte-level patterns without a regular expression: several times faster, and no run of letters is too long.
// Rules as in the models sheet tokenizer, section 3; a property test holds them to the patterns.

export interface WordRules {
  /** GPT-2's own pattern, or its successors' (Llama 3, Qwen). */
  readonly style: 'gpt2' | 'llama3';
  /** llama3: digits that stay together. */
  readonly maxDigits: 1 | 3;
  /** Combining marks count as letters (Qwen 3.5). */
  readonly marksAreLetters: boolean;
}

/** Calls `emit` with the offsets of each word of text[start, end), in order, without gaps. */
export function scanWords(
  text: string,
  start: number,
  end: number,
  rules: WordRules,
  emit: (start: number, end: number) => void,
): void {
  const next = rules.style === 'gpt2' ? nextGpt2 : nextLlama3;
  for (let at = start; at < end;) {
    const stop = next(text, at, end, rules);
    emit(at, stop);
    at = stop;
  }
}

/** Isolates every number character, and scans what lies between on its own. */
export function scanIsolatingDigits(text: string, rules: WordRules, emit: (start: number, end: number) => void): void {
  let from = 0;
  for (let at = 0; at < text.length;) {
    const kind = kindAt(text, at, text.length);
    const after = at + widthOf(kind);
    if ((kind & number) !== 0) {
      scanWords(text, from, at, rules, emit);
      emit(at, after);
      from = after;
    }
    at = after;
  }
  scanWords(text, from, text.length, rules, emit);
}

const letter = 1;
const number = 2;
const mark = 4;
const space = 8;
const known = 0x40;
/** Two UTF-16 units. */
const wide = 0x80;

const apostrophe = 0x27;
const blank = 0x20;

function nextLlama3(text: string, at: number, end: number, rules: WordRules): number {
  const letters = rules.marksAreLetters ? letter | mark : letter;
  const code = text.charCodeAt(at);
  if (code === apostrophe) {
    const length = contraction(text, at, end, true);
    if (length > 0) return at + length;
  }
  const kind = kindAt(text, at, end);
  if ((kind & letters) !== 0) return runOf(text, at, end, letters);
  if ((kind & number) !== 0) return digits(text, at, end, rules.maxDigits);
  const after = at + widthOf(kind);
  if (!isLineEnd(code) && after < end && (kindAt(text, after, end) & letters) !== 0)
    return runOf(text, after, end, letters);
  const inWords = letters | number | space;
  const first = code === blank ? after : at;
  if (first < end && (kindAt(text, first, end) & inWords) === 0) {
    let stop = runOfOther(text, first, end, inWords);
    while (stop < end && isLineEnd(text.charCodeAt(stop))) stop += 1;
    return stop;
  }
  const stop = runOf(text, at, end, space);
  for (let last = stop; last > at; last -= 1) if (isLineEnd(text.charCodeAt(last - 1))) return last;
  return blanks(at, stop, end);
}

function nextGpt2(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  if (code === apostrophe) {
    const length = contraction(text, at, end, false);
    if (length > 0) return at + length;
  }
  const first = code === blank ? at + 1 : at;
  const kind = first < end ? kindAt(text, first, end) : space;
  if ((kind & letter) !== 0) return runOf(text, first, end, letter);
  if ((kind & number) !== 0) return runOf(text, first, end, number);
  if ((kind & space) === 0) return runOfOther(text, first, end, letter | number | space);
  return blanks(at, runOf(text, at, end, space), end);
}

/** A run of white space leaves its last character to the word after it. */
function blanks(at: number, stop: number, end: number): number {
  return stop === end || stop - at === 1 ? stop : stop - 1;
}

function runOf(text: string, at: number, end: number, kinds: number): number {
  let stop = at;
  while (stop < end) {
    const kind = kindAt(text, stop, end);
    if ((kind & kinds) === 0) break;
    stop += widthOf(kind);
  }
  return stop;
}

function runOfOther(text: string, at: number, end: number, kinds: number): number {
  let stop = at;
  while (stop < end) {
    const kind = kindAt(text, stop, end);
    if ((kind & kinds) !== 0) break;
    stop += widthOf(kind);
  }
  return stop;
}

function digits(text: string, at: number, end: number, most: number): number {
  let stop = at;
  for (let count = 0; count < most && stop < end; count += 1) {
    const kind = kindAt(text, stop, end);
    if ((kind & number) === 0) break;
    stop += widthOf(kind);
  }
  return stop;
}

/** Length of 's 't 're 've 'm 'll 'd at the apostrophe, or 0. The long s folds to s. */
function contraction(text: string, at: number, end: number, anyCase: boolean): number {
  const first = at + 1 < end ? fold(text.charCodeAt(at + 1), anyCase) : 0;
  if (first === 0x73 || first === 0x74 || first === 0x6d || first === 0x64) return 2;
  const second = at + 2 < end ? fold(text.charCodeAt(at + 2), anyCase) : 0;
  if ((first === 0x72 || first === 0x76) && second === 0x65) return 3;
  return first === 0x6c && second === 0x6c ? 3 : 0;
}

function fold(code: number, anyCase: boolean): number {
  if (!anyCase) return code;
  if (code === 0x17f) return 0x73;
  return code >= 0x41 && code <= 0x5a ? code + 32 : code;
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function widthOf(kind: number): number {
  return (kind & wide) === 0 ? 1 : 2;
}

/** By UTF-16 unit, filled as characters are met; 0 is not yet known. */
const kinds = new Uint8Array(65_536);

function kindAt(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  if (code >= 0xd800 && code <= 0xdbff && at + 1 < end) return kindOf(String.fromCodePoint(text.codePointAt(at)!));
  const kind = kinds[code]!;
  if (kind !== 0) return kind;
  kinds[code] = kindOf(text[at]!);
  return kinds[code];
}

function kindOf(char: string): number {
  const width = char.length === 2 ? wide : 0;
  if (/\p{L}/u.test(char)) return known | width | letter;
  if (/\p{N}/u.test(char)) return known | width | number;
  if (/\p{M}/u.test(char)) return known | width | mark;
  return known | width | (/\p{White_Space}/u.test(char) ? space : 0);
}
