// The methods of Python's str, dict and list that a template may call; those that change a value are refused (the sandbox).

import { argument, checkArguments } from './arguments.ts';
import { maxCharacters } from './operators.ts';
import { Text } from './text.ts';
import {
  type Arguments,
  Callable,
  Dict,
  isEqual,
  iterate,
  List,
  or,
  requireText,
  TemplateError,
  toInteger,
  toText,
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

const affix =
  (test: (value: string, affix: string) => boolean): TextMethod =>
  (self, args) => {
    const given = args.positional[0];
    const affixes = given instanceof List && given.isTuple ? given.items : [given];
    return affixes.some((item) => test(self.value, requireText(item, 'the text looked for').value));
  };

const limitOf = (args: Arguments) => {
  const limit = argument(args, 1, 'maxsplit');
  return limit === undefined ? -1 : toInteger(limit, 'maxsplit');
};

const find =
  (seek: (value: string, part: string) => number): TextMethod =>
  (self, args) => {
    const at = seek(self.value, requireText(args.positional[0], 'the text looked for').value);
    return at < 0 ? -1n : codePoints(self.value.slice(0, at));
  };

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
      const separator = requireText(argument(args, 0, 'sep'), 'the separator').value;
      if (separator === '') throw new TemplateError('empty separator');
      return new List(self.rsplit(separator, limitOf(args)));
    },
  ],
  ['splitlines', (self) => splitLines(self)],
  [
    'partition',
    (self, args) => {
      const separator = requireText(args.positional[0], 'the separator');
      const at = self.value.indexOf(separator.value);
      if (at < 0) return new List([self, Text.empty, Text.empty], true);
      return new List([self.slice(0, at), separator, self.slice(at + separator.value.length, self.value.length)], true);
    },
  ],
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
  ['find', find((value, part) => value.indexOf(part))],
  ['rfind', find((value, part) => value.lastIndexOf(part))],
  [
    'index',
    (self, args) => {
      const at = self.value.indexOf(requireText(args.positional[0], 'the text looked for').value);
      if (at < 0) throw new TemplateError('substring not found');
      return codePoints(self.value.slice(0, at));
    },
  ],
  ['count', (self, args) => BigInt(self.split(requireText(args.positional[0], 'the text counted').value).length - 1)],
  ['isdigit', test(/^\p{Nd}+$/u)],
  ['isalpha', test(/^\p{L}+$/u)],
  ['isalnum', test(/^[\p{L}\p{Nd}]+$/u)],
  ['isspace', (self) => self.value !== '' && self.strip('both').value === ''],
  ['isupper', (self) => /\p{Lu}/u.test(self.value) && self.value === self.value.toUpperCase()],
  ['islower', (self) => /\p{Ll}/u.test(self.value) && self.value === self.value.toLowerCase()],
  ['format', (self, args) => formatBraces(self, args)],
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

function splitLines(text: Text): List {
  const lines: Text[] = [];
  let start = 0;
  // oxlint-disable-next-line no-control-regex
  for (const match of text.value.matchAll(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g)) {
    lines.push(text.slice(start, match.index));
    start = match.index + match[0].length;
  }
  if (start < text.value.length) lines.push(text.slice(start, text.value.length));
  return new List(lines);
}

/** `'{} {0} {name}'.format(...)`, without format specifications. */
function formatBraces(self: Text, args: Arguments): Text {
  let next = 0;
  const parts: Text[] = [];
  let start = 0;
  for (const match of self.value.matchAll(/\{\{|\}\}|\{(\w*)\}/g)) {
    parts.push(self.slice(start, match.index));
    start = match.index + match[0].length;
    if (match[0] === '{{' || match[0] === '}}') {
      parts.push(self.slice(match.index, match.index + 1));
      continue;
    }
    const field = match[1]!;
    const value =
      field === ''
        ? args.positional[next++]
        : args.named.has(field)
          ? args.named.get(field)
          : args.positional[Number(field)];
    if (value === undefined) throw new TemplateError(`format() has no argument for {${field}}`);
    parts.push(toText(value));
  }
  parts.push(self.slice(start, self.value.length));
  return Text.concat(parts);
}
