// Jinja's filters: `value|NAME(arguments)`.

import { argument, checkArguments, noArguments } from './arguments.ts';
import { fixed } from './format.ts';
import { capitalize, joinTexts, methodOf, pad, pairs, splitLines } from './methods.ts';
import { binary } from './operators.ts';
import { runTest } from './tests.ts';
import { Text } from './text.ts';
import { type JsonForm, toJsonText } from './to-json.ts';
import {
  type Arguments,
  characters,
  compare,
  Dict,
  isEqual,
  isTrue,
  iterate,
  List,
  Namespace,
  Group,
  or,
  represent,
  requireText,
  TemplateError,
  toInteger,
  toText,
  typeName,
  Undefined,
  type Value,
} from './values.ts';
import { wrapLine } from './word-wrap.ts';

export type Filter = (value: Value, args: Arguments) => Value;

export function filterNamed(name: string): Filter {
  const filter = filters.get(name);
  if (filter === undefined) throw new TemplateError(`No filter named '${name}'`);
  return filter;
}

export function hasFilter(name: string): boolean {
  return filters.has(name);
}

const asText =
  (change: (text: Text) => Value): Filter =>
  (value) =>
    change(toText(value));

const flagOf = (value: Value | undefined, otherwise: boolean) => (value === undefined ? otherwise : isTrue(value));

const fallback: Filter = (value, args) => {
  checkArguments('default', args, ['default_value', 'boolean']);
  const isMissing = value instanceof Undefined || (flagOf(argument(args, 1, 'boolean'), false) && !isTrue(value));
  return isMissing ? or(argument(args, 0, 'default_value'), Text.empty) : value;
};

const length: Filter = (value) => {
  if (value instanceof Text) return BigInt(characters(value).length);
  if (value instanceof List) return BigInt(value.items.length);
  if (value instanceof Dict) return BigInt(value.entries.size);
  if (value instanceof Undefined) return 0n;
  throw new TemplateError(`object of type '${typeName(value)}' has no len()`);
};

const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['default', fallback],
  ['d', fallback],
  ['length', length],
  ['count', length],
  ['string', (value) => toText(value)],
  ['safe', (value) => toText(value)],
  ['upper', asText((text) => text.map((part) => part.toUpperCase()))],
  ['lower', asText((text) => text.map((part) => part.toLowerCase()))],
  ['title', asText((text) => text.map(titleWords))],
  ['capitalize', asText(capitalize)],
  ['wordwrap', wordWrap],
  ['filesizeformat', fileSize],
  ['xmlattr', xmlAttributes],
  [
    'trim',
    (value, args) => {
      const given = argument(args, 0, 'chars') ?? null;
      return toText(value).strip('both', given === null ? undefined : requireText(given, 'trim characters').value);
    },
  ],
  [
    'replace',
    (value, args) => {
      const old = toText(argument(args, 0, 'old') ?? null).value;
      const count = argument(args, 2, 'count') ?? null;
      return toText(value).replace(
        old,
        toText(argument(args, 1, 'new') ?? null),
        count === null ? -1 : toInteger(count, 'count'),
      );
    },
  ],
  ['tojson', (value, args) => toJsonText(value, jsonForm(args))],
  ['join', join],
  ['list', (value) => new List(iterate(value))],
  ['items', items],
  ['dictsort', dictSort],
  ['sort', sort],
  ['unique', unique],
  [
    'reverse',
    (value) => (value instanceof Text ? Text.concat(characters(value).reverse()) : new List(iterate(value).reverse())),
  ],
  ['first', (value) => or(iterate(value)[0], new Undefined('the first item of nothing'))],
  ['last', (value) => or(iterate(value).at(-1), new Undefined('the last item of nothing'))],
  ['min', (value, args) => extreme(value, args, -1)],
  ['max', (value, args) => extreme(value, args, 1)],
  ['sum', sum],
  ['map', map],
  ['select', (value, args) => new List(itemsOf(value).filter((item) => passes(item, args.positional)))],
  ['reject', (value, args) => new List(itemsOf(value).filter((item) => !passes(item, args.positional)))],
  ['selectattr', (value, args) => new List(itemsOf(value).filter((item) => attributePasses(item, args)))],
  ['rejectattr', (value, args) => new List(itemsOf(value).filter((item) => !attributePasses(item, args)))],
  ['attr', (value, args) => methodOf(value, toText(args.positional[0] ?? null).value) ?? new Undefined('an attribute')],
  ['batch', batch],
  ['slice', slices],
  ['groupby', groupBy],
  ['truncate', truncate],
  ['center', (value, args) => pad(toText(value), toInteger(argument(args, 0, 'width') ?? 80n, 'width'), 'both', ' ')],
  ['format', format],
  ['striptags', asText(withoutTags)],
  ['pprint', (value) => Text.template(represent(value))],
  ['abs', absolute],
  ['round', round],
  ['int', toInt],
  ['float', (value, args) => parseFloatText(value) ?? or(argument(args, 0, 'default'), 0)],
  ['indent', indent],
  ['wordcount', (value) => BigInt(toText(value).value.match(/[\p{L}\p{N}\p{M}_]+/gu)?.length ?? 0)],
  ['escape', asText(escape)],
  ['e', asText(escape)],
  ['forceescape', asText(escape)],
  ['urlencode', urlEncode],
]);

function jsonForm(args: Arguments): JsonForm {
  checkArguments('tojson', args, ['ensure_ascii', 'indent', 'separators', 'sort_keys']);
  const indentBy = argument(args, 1, 'indent') ?? null;
  const separators = argument(args, 2, 'separators') ?? null;
  const isPretty = indentBy !== null;
  return {
    ensureAscii: flagOf(argument(args, 0, 'ensure_ascii'), false),
    indent: !isPretty
      ? null
      : indentBy instanceof Text
        ? indentBy.value
        : ' '.repeat(Math.max(0, toInteger(indentBy, 'indent'))),
    separators: separators === null ? [isPretty ? ',' : ', ', ': '] : separatorPair(separators),
    sortKeys: flagOf(argument(args, 3, 'sort_keys'), false),
  };
}

function separatorPair(value: Value): [string, string] {
  const [item, key] = iterate(value);
  return [requireText(item, 'a separator').value, requireText(key, 'a separator').value];
}

function join(value: Value, args: Arguments): Value {
  const separator = toText(argument(args, 0, 'd') ?? Text.empty);
  const attribute = argument(args, 1, 'attribute') ?? null;
  const parts = iterate(value).map((item) => toText(attribute === null ? item : attributeAt(item, attribute)));
  return joinTexts(separator, parts);
}

function items(value: Value): Value {
  if (value instanceof Undefined) return new List([]);
  if (value instanceof Dict) return new List(pairs(value));
  throw new TemplateError('Can only get item pairs from a mapping.');
}

function dictSort(value: Value, args: Arguments): Value {
  checkArguments('dictsort', args, ['case_sensitive', 'by', 'reverse']);
  if (!(value instanceof Dict)) throw new TemplateError(`'${typeName(value)}' object has no attribute 'items'`);
  const caseSensitive = flagOf(argument(args, 0, 'case_sensitive'), false);
  const by = argument(args, 1, 'by');
  const index = by !== undefined && toText(by).value === 'value' ? 1 : 0;
  return new List(sorted(pairs(value), (pair) => sortKey((pair as List).items[index]!, caseSensitive), args, 2));
}

function sort(value: Value, args: Arguments): Value {
  checkArguments('sort', args, ['reverse', 'case_sensitive', 'attribute']);
  const caseSensitive = flagOf(argument(args, 1, 'case_sensitive'), false);
  const attribute = argument(args, 2, 'attribute') ?? null;
  const keyOf = (item: Value): Value => {
    if (!(attribute instanceof Text) || !attribute.value.includes(',')) return keyAt(item, attribute, caseSensitive);
    return new List(attribute.split(',').map((part) => keyAt(item, part, caseSensitive)));
  };
  return new List(sorted(iterate(value), keyOf, args, 0));
}

/** What an item is ordered or told apart by: itself or one of its attributes. */
function keyAt(item: Value, attribute: Value, caseSensitive: boolean): Value {
  return sortKey(attribute === null ? item : attributeAt(item, attribute), caseSensitive);
}

function sortKey(value: Value, caseSensitive: boolean): Value {
  return value instanceof Text && !caseSensitive ? value.map((part) => part.toLowerCase()) : value;
}

/** Equal keys keep their order in both directions. */
function sorted(values: Value[], keyOf: (item: Value) => Value, args: Arguments, reverseIndex: number): Value[] {
  const direction = flagOf(argument(args, reverseIndex, 'reverse'), false) ? -1 : 1;
  const keyed = values.map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => direction * compare(a.key, b.key));
  return keyed.map(({ item }) => item);
}

function unique(value: Value, args: Arguments): Value {
  checkArguments('unique', args, ['case_sensitive', 'attribute']);
  const caseSensitive = flagOf(argument(args, 0, 'case_sensitive'), false);
  const attribute = argument(args, 1, 'attribute') ?? null;
  const kept = new Dict();
  for (const item of iterate(value)) {
    const key = keyAt(item, attribute, caseSensitive);
    if (!kept.has(key)) kept.set(key, item);
  }
  return new List([...kept.entries.values()].map((entry) => entry.value));
}

function extreme(value: Value, args: Arguments, direction: 1 | -1): Value {
  const caseSensitive = flagOf(argument(args, 0, 'case_sensitive'), false);
  const attribute = argument(args, 1, 'attribute') ?? null;
  const values = iterate(value);
  if (values.length === 0) return new Undefined('an item of nothing');
  const keyOf = (item: Value) => keyAt(item, attribute, caseSensitive);
  return values.reduce((best, item) => (compare(keyOf(item), keyOf(best)) * direction > 0 ? item : best));
}

function format(value: Value, args: Arguments): Value {
  if (args.named.size === 0) return binary('%', toText(value), new List([...args.positional], true));
  if (args.positional.length > 0) throw new TemplateError('format takes values by position or by name, not both');
  return binary(
    '%',
    toText(value),
    new Dict([...args.named].map(([key, each]) => ({ key: Text.template(key), value: each }))),
  );
}

/** Words as Jinja's title sees them: after a blank, a hyphen or an opening bracket. */
function titleWords(text: string): string {
  return text.replace(/[^-\s({[<]+/gu, (word) => {
    const [head = ''] = word;
    return head.toUpperCase() + word.slice(head.length).toLowerCase();
  });
}

function urlEncode(value: Value): Value {
  const quote = (text: Text, keeps: RegExp) => text.map((part) => encodePart(part).replace(keeps, '/'));
  if (value instanceof Text || !(value instanceof Dict || value instanceof List)) return quote(toText(value), /%2F/g);
  const entries = value instanceof Dict ? pairs(value) : iterate(value);
  const fields = entries.map((entry) => {
    const [key, each, ...more] = iterate(entry);
    if (key === undefined || each === undefined || more.length > 0) throw new TemplateError('urlencode needs pairs');
    const query = (part: Value) => toText(part).map((text) => encodePart(text).replace(/%20/g, '+'));
    return Text.concat([query(key), Text.template('='), query(each)]);
  });
  return joinTexts(Text.template('&'), fields);
}

function encodePart(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sum(value: Value, args: Arguments): Value {
  const attribute = argument(args, 0, 'attribute') ?? null;
  const values = iterate(value).map((item) => (attribute === null ? item : attributeAt(item, attribute)));
  return values.reduce((total, item) => binary('+', total, item), argument(args, 1, 'start') ?? 0n);
}

function map(value: Value, args: Arguments): Value {
  const attribute = args.named.get('attribute');
  if (attribute !== undefined) {
    const otherwise = args.named.get('default');
    const read = (item: Value) => {
      const found = attributeAt(item, attribute);
      return found instanceof Undefined && otherwise !== undefined ? otherwise : found;
    };
    return new List(itemsOf(value).map(read));
  }
  const [name, ...rest] = args.positional;
  const filter = filterNamed(requireText(name, "map's filter").value);
  return new List(itemsOf(value).map((item) => filter(item, { positional: rest, named: args.named })));
}

/** Filters that make one thing of each look at nothing where the value is false. */
function itemsOf(value: Value): Value[] {
  return isTrue(value) ? iterate(value) : [];
}

function passes(value: Value, testAndArguments: readonly Value[]): boolean {
  const [name, ...given] = testAndArguments;
  if (name === undefined) return isTrue(value);
  return runTest(requireText(name, 'the name of a test').value, value, given);
}

function attributePasses(item: Value, args: Arguments): boolean {
  const [attribute, ...test] = args.positional;
  return passes(attributeAt(item, attribute ?? null), test);
}

/** `a.b.0` as the filters read it: items first, then nothing. */
function attributeAt(item: Value, attribute: Value): Value {
  let found = item;
  for (const part of toText(attribute).value.split('.')) found = step(found, part);
  return found;
}

function step(value: Value, part: string): Value {
  const missing = new Undefined(`'${typeName(value)} object' has no attribute '${part}'`);
  if (value instanceof Dict) return or(value.getText(part), missing);
  if (value instanceof Namespace) return or(value.attributes.get(part), missing);
  if (value instanceof List && /^\d+$/.test(part)) return or(value.items[Number(part)], missing);
  if (value instanceof Undefined) throw new TemplateError(`${value.what}`);
  return missing;
}

function batch(value: Value, args: Arguments): Value {
  const size = toInteger(argument(args, 0, 'linecount') ?? null, 'linecount');
  if (size < 1) throw new TemplateError('linecount must be at least 1');
  const values = iterate(value);
  const fill = argument(args, 1, 'fill_with') ?? null;
  const rows: List[] = [];
  for (let start = 0; start < values.length; start += size) {
    const row = values.slice(start, start + size);
    while (fill !== null && row.length < size) row.push(fill);
    rows.push(new List(row));
  }
  return new List(rows);
}

/** `count` columns, the first ones longer by one where it does not come out even. */
function slices(value: Value, args: Arguments): Value {
  const count = toInteger(argument(args, 0, 'slices') ?? null, 'slices');
  if (count < 1) throw new TemplateError('slices must be at least 1');
  const values = iterate(value);
  const fill = argument(args, 1, 'fill_with') ?? null;
  const each = Math.floor(values.length / count);
  const numLonger = values.length % count;
  let start = 0;
  const columns = Array.from({ length: count }, (_, index) => {
    const end = start + each + (index < numLonger ? 1 : 0);
    const column = values.slice(start, end);
    if (fill !== null && index >= numLonger && numLonger > 0) column.push(fill);
    start = end;
    return new List(column);
  });
  return new List(columns);
}

/** Pairs of a value and the items that have it, in the order of the values. */
function groupBy(value: Value, args: Arguments): Value {
  checkArguments('groupby', args, ['attribute', 'default', 'case_sensitive']);
  const attribute = argument(args, 0, 'attribute') ?? null;
  const otherwise = argument(args, 1, 'default');
  const caseSensitive = flagOf(argument(args, 2, 'case_sensitive'), false);
  const keyed = iterate(value).map((item) => {
    const found = attributeAt(item, attribute);
    return { item, key: found instanceof Undefined && otherwise !== undefined ? otherwise : found };
  });
  keyed.sort((a, b) => compare(sortKey(a.key, caseSensitive), sortKey(b.key, caseSensitive)));
  const groups: { key: Value; items: Value[] }[] = [];
  for (const { item, key } of keyed) {
    const last = groups.at(-1);
    if (last !== undefined && isEqual(sortKey(last.key, caseSensitive), sortKey(key, caseSensitive)))
      last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return new List(groups.map((group) => new Group(group.key, new List(group.items))));
}

function truncate(value: Value, args: Arguments): Value {
  checkArguments('truncate', args, ['length', 'killwords', 'end', 'leeway']);
  const limit = toInteger(argument(args, 0, 'length') ?? 255n, 'length');
  const end = toText(argument(args, 2, 'end') ?? Text.template('...'));
  const leeway = toInteger(argument(args, 3, 'leeway') ?? 5n, 'leeway');
  if (!(value instanceof Text)) {
    if (Number(length(value, noArguments)) <= limit + leeway) return value;
    throw new TemplateError(`cannot cut a ${typeName(value)}`);
  }
  const all = characters(value);
  const room = limit - characters(end).length;
  if (room < 0) throw new TemplateError(`expected length >= ${characters(end).length}, got ${limit}`);
  if (all.length <= limit + leeway) return value;
  const cut = Text.concat(all.slice(0, room));
  if (flagOf(argument(args, 1, 'killwords'), false)) return Text.concat([cut, end]);
  const blank = cut.value.lastIndexOf(' ');
  return Text.concat([blank < 0 ? cut : cut.slice(0, blank), end]);
}

/** Tags and comments gone, runs of blanks as one. */
function withoutTags(text: Text): Text {
  const kept = text.map((part) => part.replace(/<!--.*?-->/gs, '').replace(/<[^>]*>/g, ''));
  return joinTexts(Text.template(' '), kept.split(null));
}

function toNumber(value: Value): number {
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') return Number(value);
  throw new TemplateError(`expected a number, got ${typeName(value)}`);
}

/** Python's float(): null where the text is no number. */
function parseFloatText(value: Value): number | null {
  if (value instanceof Undefined) throw new TemplateError(value.what);
  if (!(value instanceof Text)) return typeof value === 'object' ? null : Number(value);
  const text = value
    .strip('both')
    .value.toLowerCase()
    .replace(/(?<=\d)_(?=\d)/g, '');
  const special = /^([-+]?)(?:inf(?:inity)?|(nan))$/.exec(text);
  if (special !== null) return special[2] ? Number.NaN : special[1] === '-' ? -Infinity : Infinity;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(text) ? Number(text) : null;
}

function absolute(value: Value): Value {
  if (typeof value === 'bigint') return value < 0n ? -value : value;
  return typeof value === 'boolean' ? BigInt(value) : Math.abs(toNumber(value));
}

const digitsOf: Readonly<Record<number, [prefix: string, digits: string]>> = {
  2: ['0b', '[01]'],
  8: ['0o', '[0-7]'],
  10: ['', '\\d'],
  16: ['0x', '[0-9a-f]'],
};

function toInt(value: Value, args: Arguments): Value {
  if (value instanceof Undefined) throw new TemplateError(value.what);
  const base = toInteger(argument(args, 1, 'base') ?? 10n, 'base');
  if (typeof value === 'bigint') return value;
  if (value instanceof Text) {
    const form = digitsOf[base];
    if (form === undefined) throw new TemplateError(`int does not read base ${base}, only 2, 8, 10 and 16`);
    const [prefix, digit] = form;
    const text = value.strip('both').value.toLowerCase();
    const match = new RegExp(`^([-+]?)(?:${prefix}_?)?(${digit}+(?:_${digit}+)*)$`).exec(text);
    if (match !== null) {
      const magnitude = BigInt(prefix + match[2]!.replaceAll('_', ''));
      return match[1] === '-' ? -magnitude : magnitude;
    }
  }
  const found = Math.trunc(parseFloatText(value) ?? Number.NaN);
  return Number.isFinite(found) ? BigInt(found) : or(argument(args, 0, 'default'), 0n);
}

/** Of the exact binary value; halves go to the even neighbour, as in Python. */
function round(value: Value, args: Arguments): Value {
  checkArguments('round', args, ['precision', 'method']);
  const precision = toInteger(argument(args, 0, 'precision') ?? 0n, 'precision');
  const method = toText(argument(args, 1, 'method') ?? Text.template('common')).value;
  const number = toNumber(value);
  const scale = 10 ** precision;
  if (method === 'ceil') return Math.ceil(number * scale) / scale;
  if (method === 'floor') return Math.floor(number * scale) / scale;
  if (method !== 'common') throw new TemplateError('method must be common, ceil or floor');
  if (typeof value !== 'number') return roundInteger(BigInt(value as bigint | boolean), precision);
  return precision >= 0
    ? Number(fixed(number, precision))
    : Number(roundInteger(BigInt(Math.round(number)), precision));
}

function roundInteger(value: bigint, precision: number): bigint {
  if (precision >= 0) return value;
  const unit = 10n ** BigInt(-precision);
  const rest = ((value % unit) + unit) % unit;
  const below = value - rest;
  const isUp = rest * 2n > unit || (rest * 2n === unit && (below / unit) % 2n !== 0n);
  return isUp ? below + unit : below;
}

function wordWrap(value: Value, args: Arguments): Value {
  checkArguments('wordwrap', args, ['width', 'break_long_words', 'wrapstring', 'break_on_hyphens']);
  const form = {
    width: toInteger(argument(args, 0, 'width') ?? 79n, 'width'),
    breaksLongWords: flagOf(argument(args, 1, 'break_long_words'), true),
    breaksOnHyphens: flagOf(argument(args, 3, 'break_on_hyphens'), true),
  };
  const separator = toText(argument(args, 2, 'wrapstring') ?? Text.template('\n'));
  const lines = splitLines(requireText(value, 'what wordwrap wraps'), false);
  return joinTexts(
    separator,
    lines.map((line) => joinTexts(separator, wrapLine(line, form))),
  );
}

function fileSize(value: Value, args: Arguments): Value {
  const isBinary = flagOf(argument(args, 0, 'binary'), false);
  const size = parseFloatText(value);
  if (size === null) throw new TemplateError(`could not convert ${represent(value)} to a size`);
  const base = isBinary ? 1024 : 1000;
  if (size === 1) return Text.caller('1 Byte');
  if (size < base) return Text.caller(`${Math.trunc(size)} Bytes`);
  const letters = 'kMGTPEZY';
  let index = 0;
  while (index < letters.length - 1 && size >= base ** (index + 2)) index += 1;
  const letter = isBinary ? letters[index]!.toUpperCase() : letters[index]!;
  return Text.caller(`${fixed((base * size) / base ** (index + 2), 1)} ${letter}${isBinary ? 'iB' : 'B'}`);
}

function xmlAttributes(value: Value, args: Arguments): Value {
  if (!(value instanceof Dict)) throw new TemplateError(`'${typeName(value)}' object has no attribute 'items'`);
  const parts: Text[] = [];
  for (const { key, value: given } of value.entries.values()) {
    if (given === null || given instanceof Undefined) continue;
    const name = toText(key);
    if (/[\s/>=]/.test(name.value)) throw new TemplateError(`Invalid character in attribute name: ${represent(key)}`);
    parts.push(Text.concat([escape(name), Text.template('="'), escape(toText(given)), Text.template('"')]));
  }
  const text = joinTexts(Text.template(' '), parts);
  const hasBlank = flagOf(argument(args, 0, 'autospace'), true) && parts.length > 0;
  return hasBlank ? Text.concat([Text.template(' '), text]) : text;
}

function indent(value: Value, args: Arguments): Value {
  const width = argument(args, 0, 'width') ?? 4n;
  const first = flagOf(argument(args, 1, 'first'), false);
  const blank = flagOf(argument(args, 2, 'blank'), false);
  const prefix = width instanceof Text ? width : Text.template(' '.repeat(toInteger(width, 'width')));
  const lines = requireText(value, 'what indent indents').split('\n');
  const indented = lines.map((line, index) => {
    const isIndented = index === 0 ? first : blank || line.value !== '';
    return isIndented ? Text.concat([prefix, line]) : line;
  });
  return joinTexts(Text.template('\n'), indented);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  "'": '&#39;',
  '"': '&#34;',
};

function escape(text: Text): Text {
  return text.map((part) => part.replace(/[&<>'"]/g, (character) => entities[character]!));
}
