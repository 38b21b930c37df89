// The methods of Python's str, dict and list that a template may call; those that change a value are refused (the sandbox).

import { argument, checkArguments } from './arguments.ts';
import { maxCharacters } from './limits.ts';
import { Text } from './text.ts';
import {
  type Arguments,
  Callable,
  Dict,
  isEqual,
  isTrue,
  iterate,
  List,
  or,
  requireText,
  TemplateError,
  toInteger,
  type Value,
} from './values.ts';

/** The method bound to `value`, or undefined where its type has none of that name. */
export function methodOf(value: Value, name: string): Callable | undefined {
  const bind = <T>(methods: ReadonlyMap<string, (self: T, args: Arguments) => Value>, self: T) => {
    const method = methods.get(name);
    return method && new Callable(name, (args) => method(self, args));
  };
  if (value instanceof Text) return bind(textMethods, value);
  if (value instanceof Dict) return bind(dictMethods, value);
  if (value instanceof List) return bind(listMethods, value);
  return undefined;
}

type TextMethod = (self: Text, args: Arguments) => Value;

const strip =
  (sides: 'both' | 'left' | 'right'): TextMethod =>
  (self, args) => {
    const characters = argument(args, 0, 'chars') ?? null;
    return self.strip(sides, characters === null ? undefined : requireText(characters, 'strip characters').value);
  };

/** The part between the bounds given as second and third argument, in characters, and where it starts. */
function within(self: Text, args: Arguments): { text: string; start: number } | null {
  const all = Array.from(self.value);
  const bound = (index: number, otherwise: number) => {
    const given = args.positional[index] ?? null;
    const at = given === null ? otherwise : toInteger(given, 'a bound');
    return at < 0 ? Math.max(0, at + all.length) : at;
  };
  const start = bound(1, 0);
  if (start > all.length) return null;
  return { text: all.slice(start, bound(2, all.length)).join(''), start };
}

const affix =
  (test: (value: string, affix: string) => boolean): TextMethod =>
  (self, args) => {
    const given = args.positional[0];
    const affixes = given instanceof List && given.isTuple ? given.items : [given];
    const part = within(self, args);
    return affixes.some((item) => {
      const text = requireText(item, 'the text looked for').value;
      return part !== null && test(part.text, text);
    });
  };

const limitOf = (args: Arguments) => {
  const limit = argument(args, 1, 'maxsplit');
  return limit === undefined ? -1 : toInteger(limit, 'maxsplit');
};

type Seek = (value: string, part: string) => number;

function seekIn(self: Text, args: Arguments, seek: Seek): bigint | null {
  const wanted = requireText(args.positional[0], 'the text looked for').value;
  const part = within(self, args);
  const at = part === null ? -1 : seek(part.text, wanted);
  return at < 0 ? null : codePoints(part!.text.slice(0, at)) + BigInt(part!.start);
}

const find =
  (seek: Seek): TextMethod =>
  (self, args) =>
    seekIn(self, args, seek) ?? -1n;

const index =
  (seek: Seek): TextMethod =>
  (self, args) => {
    const at = seekIn(self, args, seek);
    if (at === null) throw new TemplateError('substring not found');
    return at;
  };

const first: Seek = (value, part) => value.indexOf(part);
const last: Seek = (value, part) => value.lastIndexOf(part);

const codePoints = (text: string) => BigInt(Array.from(text).length);

const test =
  (pattern: RegExp): TextMethod =>
  (self) =>
    pattern.test(self.value);

/** Blanks, or another character, up to `width` characters; an odd one over goes as Python's center puts it. */
export function pad(text: Text, width: number, side: 'left' | 'right' | 'both', fill: string): Text {
  const missing = Math.max(0, width - Number(codePoints(text.value)));
  if (missing > maxCharacters) throw new TemplateError(`width ${width} is too large`);
  const left = { left: missing, right: 0, both: Math.floor(missing / 2) + (missing & width & 1) }[side];
  return Text.concat([Text.template(fill.repeat(left)), text, Text.template(fill.repeat(missing - left))]);
}

const padded =
  (side: 'left' | 'right' | 'both'): TextMethod =>
  (self, args) => {
    const fill = args.positional[1] === undefined ? ' ' : requireText(args.positional[1], 'the fill character').value;
    if ([...fill].length !== 1) throw new TemplateError('The fill character must be exactly one character long');
    return pad(self, toInteger(args.positional[0] ?? null, 'width'), side, fill);
  };

const textMethods: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ['strip', strip('both')],
  ['lstrip', strip('left')],
  ['rstrip', strip('right')],
  ['startswith', affix((value, part) => value.startsWith(part))],
  ['endswith', affix((value, part) => value.endsWith(part))],
  ['upper', (self) => self.map((text) => text.toUpperCase())],
  ['lower', (self) => self.map((text) => text.toLowerCase())],
  ['capitalize', (self) => capitalize(self)],
  ['title', (self) => self.map(title)],
  ['swapcase', (self) => self.map((text) => text.replace(/\p{L}/gu, swapCase))],
  [
    'split',
    (self, args) => {
      const separator = argument(args, 0, 'sep') ?? null;
      const text = separator === null ? null : requireText(separator, 'the separator').value;
      if (text === '') throw new TemplateError('empty separator');
      return new List(self.split(text, limitOf(args)));
    },
  ],
  [
    'rsplit',
    (self, args) => {
      const separator = argument(args, 0, 'sep') ?? null;
      if (separator === null) return new List(self.rsplitAtSpace(limitOf(args)));
      const { value } = requireText(separator, 'the separator');
      if (value === '') throw new TemplateError('empty separator');
      return new List(self.rsplit(value, limitOf(args)));
    },
  ],
  ['splitlines', (self, args) => new List(splitLines(self, isTrue(argument(args, 0, 'keepends') ?? false)))],
  ['partition', (self, args) => partition(self, args, first, (missing) => [self, missing, missing])],
  ['rpartition', (self, args) => partition(self, args, last, (missing) => [missing, missing, self])],
  [
    'replace',
    (self, args) => {
      const count = argument(args, 2, 'count');
      const old = requireText(args.positional[0], 'the text to replace').value;
      return self.replace(
        old,
        requireText(args.positional[1], 'the replacement'),
        count === undefined ? -1 : toInteger(count, 'count'),
      );
    },
  ],
  [
    'join',
    (self, args) =>
      joinTexts(
        self,
        iterate(args.positional[0] ?? null).map((item) => requireText(item, 'what join joins')),
      ),
  ],
  [
    'removeprefix',
    (self, args) => {
      const prefix = requireText(args.positional[0], 'the prefix').value;
      return self.value.startsWith(prefix) ? self.slice(prefix.length, self.value.length) : self;
    },
  ],
  [
    'removesuffix',
    (self, args) => {
      const suffix = requireText(args.positional[0], 'the suffix').value;
      return self.value.endsWith(suffix) ? self.slice(0, self.value.length - suffix.length) : self;
    },
  ],
  ['find', find(first)],
  ['rfind', find(last)],
  ['index', index(first)],
  ['rindex', index(last)],
  [
    'count',
    (self, args) => {
      const wanted = requireText(args.positional[0], 'the text counted').value;
      const part = within(self, args);
      if (part === null) return 0n;
      return wanted === '' ? codePoints(part.text) + 1n : BigInt(part.text.split(wanted).length - 1);
    },
  ],
  ['isdecimal', test(/^\p{Nd}+$/u)],
  ['isnumeric', test(/^\p{N}+$/u)],
  ['isascii', (self) => !/[^\0-\x7f]/.test(self.value)],
  ['isidentifier', test(/^[\p{L}_][\p{L}\p{N}_]*$/u)],
  ['istitle', (self) => /\p{L}/u.test(self.value) && title(self.value) === self.value],
  ['isdigit', test(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070-\u2079\u2080-\u2089]+$/u)],
  ['isalpha', test(/^\p{L}+$/u)],
  ['isalnum', test(/^[\p{L}\p{Nd}]+$/u)],
  ['isspace', (self) => self.value !== '' && self.strip('both').value === ''],
  ['isupper', (self) => /\p{Lu}/u.test(self.value) && self.value === self.value.toUpperCase()],
  ['islower', (self) => /\p{Ll}/u.test(self.value) && self.value === self.value.toLowerCase()],
  ['expandtabs', expandTabs],
  ['casefold', (self) => self.map((text) => text.toLowerCase().replace(/ß/g, 'ss'))],
  ['ljust', padded('right')],
  ['rjust', padded('left')],
  ['center', padded('both')],
  [
    'zfill',
    (self, args) => {
      const sign = /^[-+]/.test(self.value) ? 1 : 0;
      const width = toInteger(args.positional[0] ?? null, 'width') - sign;
      return Text.concat([self.slice(0, sign), pad(self.slice(sign, self.value.length), width, 'left', '0')]);
    },
  ],
]);

const dictMethods: ReadonlyMap<string, (self: Dict, args: Arguments) => Value> = new Map<
  string,
  (self: Dict, args: Arguments) => Value
>([
  [
    'get',
    (self, args) => {
      checkArguments('get', args, ['key', 'default']);
      return or(self.get(argument(args, 0, 'key') ?? null), argument(args, 1, 'default') ?? null);
    },
  ],
  ['items', (self) => new List(pairs(self))],
  ['keys', (self) => new List(iterate(self))],
  ['values', (self) => new List([...self.entries.values()].map(({ value }) => value))],
  ['copy', (self) => new Dict(self.entries.values())],
  ...['pop', 'popitem', 'update', 'setdefault', 'clear'].map(refused<Dict>),
]);

const listMethods: ReadonlyMap<string, (self: List, args: Arguments) => Value> = new Map<
  string,
  (self: List, args: Arguments) => Value
>([
  ['count', (self, args) => BigInt(self.items.filter((item) => isEqual(item, args.positional[0] ?? null)).length)],
  [
    'index',
    (self, args) => {
      const at = self.items.findIndex((item) => isEqual(item, args.positional[0] ?? null));
      if (at < 0) throw new TemplateError('value is not in list');
      return BigInt(at);
    },
  ],
  ['copy', (self) => self],
  ...['append', 'extend', 'insert', 'pop', 'remove', 'reverse', 'sort', 'clear'].map(refused<List>),
]);

function expandTabs(self: Text, args: Arguments): Text {
  const size = toInteger(argument(args, 0, 'tabsize') ?? 8n, 'tabsize');
  let column = 0;
  const parts = Array.from(self.value).map((character): [string, number] => {
    const width = character === '\t' ? (size > 0 ? size - (column % size) : 0) : 1;
    column = character === '\n' || character === '\r' ? 0 : column + width;
    return [character, width];
  });
  let offset = 0;
  return Text.concat(
    parts.map(([character, width]) => {
      offset += character.length;
      return character === '\t' ? Text.template(' '.repeat(width)) : self.slice(offset - character.length, offset);
    }),
  );
}

function partition(self: Text, args: Arguments, seek: Seek, otherwise: (missing: Text) => Text[]): List {
  const separator = requireText(args.positional[0], 'the separator');
  if (separator.value === '') throw new TemplateError('empty separator');
  const at = seek(self.value, separator.value);
  if (at < 0) return new List(otherwise(Text.empty), true);
  return new List([self.slice(0, at), separator, self.slice(at + separator.value.length, self.value.length)], true);
}

function refused<T>(name: string): [string, (self: T, args: Arguments) => Value] {
  return [
    name,
    () => {
      throw new TemplateError(`a template may not change a value (${name})`);
    },
  ];
}

export function pairs(dict: Dict): List[] {
  return [...dict.entries.values()].map(({ key, value }) => new List([key, value], true));
}

export function joinTexts(separator: Text, parts: readonly Text[]): Text {
  return Text.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
}

/** Python's capitalize: the first character upper, the others lower. */
export function capitalize(text: Text): Text {
  const first = [...text.value][0]?.length ?? 0;
  const rest = text.slice(first, text.value.length);
  return Text.concat([text.slice(0, first).map((part) => part.toUpperCase()), rest.map((part) => part.toLowerCase())]);
}

export function title(text: string): string {
  return text.replace(/\p{L}+/gu, (word) => {
    const first = [...word][0]!;
    return first.toUpperCase() + word.slice(first.length).toLowerCase();
  });
}

function swapCase(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
}

export function splitLines(text: Text, keepsEnds: boolean): Text[] {
  const lines: Text[] = [];
  let start = 0;
  // oxlint-disable-next-line no-control-regex
  for (const match of text.value.matchAll(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g)) {
    const end = match.index + match[0].length;
    lines.push(text.slice(start, keepsEnds ? end : match.index));
    start = end;
  }
  if (start < text.value.length) lines.push(text.slice(start, text.value.length));
  return lines;
}
