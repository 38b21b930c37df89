// Python's textwrap as Jinja's wordwrap calls it: tabs and blanks are kept, blanks at a broken end are not.

import { TemplateError } from './values.ts';
import { Text } from './text.ts';

export interface WrapForm {
  readonly width: number;
  readonly breaksLongWords: boolean;
  readonly breaksOnHyphens: boolean;
}

const blank = '[\\t\\n\\v\\f\\r ]';
const solid = '[^\\t\\n\\v\\f\\r ]';
const inWord = '[\\p{L}\\p{N}_!"\'&.,?]';
const letter = '[\\p{L}\\p{No}\\p{Nl}_]';
const word = '[\\p{L}\\p{N}_]';

/** Runs of blanks; words up to a hyphen, a dash or a blank; dashes. */
const atHyphens = new RegExp(
  `${blank}+|(?<=${inWord})-{2,}(?=${word})|${solid}+?(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})|(?=${blank}|$)|(?<=${inWord})(?=-{2,}${word}))`,
  'gu',
);
const atBlanks = new RegExp(`${blank}+|${solid}+`, 'gu');

/** A stretch of the text, in UTF-16 offsets. */
interface Chunk {
  readonly start: number;
  readonly end: number;
}

/** One line of text as lines of at most `width` characters. */
export function wrapLine(text: Text, form: WrapForm): Text[] {
  if (form.width <= 0) throw new TemplateError(`invalid width ${form.width} (must be > 0)`);
  const { value } = text;
  const chunks: Chunk[] = [];
  for (const match of value.matchAll(form.breaksOnHyphens ? atHyphens : atBlanks)) {
    chunks.push({ start: match.index, end: match.index + match[0].length });
  }
  const isBlank = ({ start, end }: Chunk) => value.slice(start, end).trim() === '';
  const lengthOf = ({ start, end }: Chunk) => Array.from(value.slice(start, end)).length;
  const lines: Text[] = [];
  for (let next = 0; next < chunks.length;) {
    if (isBlank(chunks[next]!) && lines.length > 0) next += 1;
    const line: Chunk[] = [];
    let length = 0;
    for (; next < chunks.length && length + lengthOf(chunks[next]!) <= form.width; next += 1) {
      line.push(chunks[next]!);
      length += lengthOf(chunks[next]!);
    }
    const long = chunks[next];
    if (long !== undefined && lengthOf(long) > form.width) {
      if (form.breaksLongWords) {
        const cut = cutAt(value, long, form.width - length, form.breaksOnHyphens);
        line.push({ start: long.start, end: cut });
        chunks[next] = { start: cut, end: long.end };
      } else if (line.length === 0) {
        line.push(long);
        next += 1;
      }
    }
    if (line.length > 0 && isBlank(line.at(-1)!)) line.pop();
    if (line.length > 0) lines.push(text.slice(line[0]!.start, line.at(-1)!.end));
  }
  return lines;
}

/** Where a word too long for any line is broken: after `room` characters, or after the last hyphen among them. */
function cutAt(value: string, { start, end }: Chunk, room: number, breaksOnHyphens: boolean): number {
  const kept = Array.from(value.slice(start, end)).slice(0, room).join('');
  const hyphen = breaksOnHyphens ? kept.lastIndexOf('-') : -1;
  const isInside = hyphen > 0 && /[^-]/.test(kept.slice(0, hyphen));
  return start + (isInside ? hyphen + 1 : kept.length);
}
