// Jinja's filters: `value|NAME(arguments)`.

import { argument, checkArguments, noArguments } from './arguments.ts';
import { capitalize, joinTexts, methodOf, pad, pairs, title } from './methods.ts';
import { binary } from './operators.ts';
import { testNamed } from './tests.ts';
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

export type Filter = (value: Value, args: Arguments) => Value;

export function filterNamed(name: string): Filter {
  const filter = filters.get(name);
  if (filter === undefined) throw new TemplateError(`No filter named '${name}'`);
  return filter;
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
  ['title', asText((text) => text.map(title))],
  ['capitalize', asText(capitalize)],
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
  ['min', (value) => extreme(value, -1)],
  ['max', (value) => extreme(value, 1)],
  ['sum', sum],
  ['map', map],
  ['select', (value, args) => new List(iterate(value).filter((item) => passes(item, args.positional)))],
  ['reject', (value, args) => new List(iterate(value).filter((item) => !passes(item, args.positional)))],
  ['selectattr', (value, args) => new List(iterate(value).filter((item) => attributePasses(item, args)))],
  ['rejectattr', (value, args) => new List(iterate(value).filter((item) => !attributePasses(item, args)))],
  ['attr', (value, args) => methodOf(value, toText(args.positional[0] ?? null).value) ?? new Undefined('an attribute')],
  ['batch', batch],
  ['slice', slices],
  ['groupby', groupBy],
  ['truncate', truncate],
  ['center', (value, args) => pad(toText(value), toInteger(argument(args, 0, 'width') ?? 80n, 'width'), 'both', ' ')],
  ['format', (value, args) => binary('%', toText(value), new List([...args.positional], true))],
  ['striptags', asText(withoutTags)],
  ['pprint', (value) => Text.template(represent(value))],
  ['abs', (value) => (typeof value === 'bigint' ? (value < 0n ? -value : value) : Math.abs(toNumber(value)))],
  ['round', round],
  ['int', toInt],
  ['float', (value) => (Number.isNaN(toNumberOrNaN(value)) ? 0 : toNumberOrNaN(value))],
  ['indent', indent],
  ['wordcount', (value) => BigInt(toText(value).split(null).length)],
  ['escape', asText(escape)],
  ['e', asText(escape)],
  ['forceescape', asText(escape)],
  ['urlencode', asText((text) => text.map((part) => encodeURIComponent(part).replace(/%2F/g, '/')))],
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
  const keyOf = (item: Value) => sortKey(attribute === null ? item : attributeAt(item, attribute), caseSensitive);
  return new List(sorted(iterate(value), keyOf, args, 0));
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

function unique(value: Value): Value {
  const kept: Value[] = [];
  for (const item of iterate(value)) {
    const key = sortKey(item, false);
    if (!kept.some((other) => isEqual(sortKey(other, false), key))) kept.push(item);
  }
  return new List(kept);
}

function extreme(value: Value, direction: 1 | -1): Value {
  const values = iterate(value);
  if (values.length === 0) return new Undefined('an item of nothing');
  return values.reduce((best, item) =>
    compare(sortKey(item, false), sortKey(best, false)) * direction > 0 ? item : best,
  );
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
    return new List(iterate(value).map(read));
  }
  const [name, ...rest] = args.positional;
  const filter = filterNamed(requireText(name, "map's filter").value);
  return new List(iterate(value).map((item) => filter(item, { positional: rest, named: args.named })));
}

function passes(value: Value, testAndArguments: readonly Value[]): boolean {
  const [name, given] = testAndArguments;
  if (name === undefined) return isTrue(value);
  return testNamed(requireText(name, 'the name of a test').value)(value, given ?? null);
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
  const text = toText(value);
  const all = characters(text);
  const room = limit - characters(end).length;
  if (room < 0) throw new TemplateError(`expected length >= ${characters(end).length}, got ${limit}`);
  if (all.length <= limit + leeway) return text;
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

function toNumberOrNaN(value: Value): number {
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') return Number(value);
  if (value instanceof Text && value.value.trim() !== '') return Number(value.value);
  return Number.NaN;
}

function toNumber(value: Value): number {
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') return Number(value);
  throw new TemplateError(`expected a number, got ${typeName(value)}`);
}

function toInt(value: Value, args: Arguments): Value {
  if (typeof value === 'bigint') return value;
  if (value instanceof Text && /^\s*[-+]?\d+\s*$/.test(value.value))
    return BigInt(value.value.trim().replace(/^\+/, ''));
  const found = Math.trunc(toNumberOrNaN(value));
  return Number.isFinite(found) ? BigInt(found) : or(argument(args, 0, 'default'), 0n);
}

/** Halves go to the even neighbour, as in Python. */
function round(value: Value, args: Arguments): Value {
  const factor = 10 ** toInteger(argument(args, 0, 'precision') ?? 0n, 'precision');
  const method = toText(argument(args, 1, 'method') ?? Text.template('common')).value;
  const scaled = toNumber(value) * factor;
  if (method === 'ceil') return Math.ceil(scaled) / factor;
  if (method === 'floor') return Math.floor(scaled) / factor;
  const nearest = Math.round(scaled);
  return (Math.abs(scaled % 1) === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest) / factor;
}

function indent(value: Value, args: Arguments): Value {
  const width = argument(args, 0, 'width') ?? 4n;
  const first = flagOf(argument(args, 1, 'first'), false);
  const blank = flagOf(argument(args, 2, 'blank'), false);
  const prefix = width instanceof Text ? width : Text.template(' '.repeat(toInteger(width, 'width')));
  const lines = toText(value).split('\n');
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

export const applyFilter = (name: string, value: Value): Value => filterNamed(name)(value, noArguments);
