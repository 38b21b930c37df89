// What every template can call: Jinja's own functions and the two that transformers adds.

import { argument, checkArguments } from './arguments.ts';
import { Text } from './text.ts';
import {
  Callable,
  Dict,
  type DictEntry,
  iterate,
  List,
  Namespace,
  requireText,
  TemplateError,
  TemplateRaised,
  toInteger,
  toText,
  type Value,
} from './values.ts';

/** The sandbox's limit on range(). */
const maxRange = 100_000;

export function standardGlobals(now: Date): Map<string, Value> {
  const functions = [
    new Callable('namespace', ({ positional, named }) => {
      const namespace = new Namespace();
      for (const source of positional) {
        for (const { key, value } of entriesOf(source)) namespace.attributes.set(toText(key).value, value);
      }
      for (const [key, value] of named) namespace.attributes.set(key, value);
      return namespace;
    }),
    new Callable('dict', ({ positional, named }) => {
      const dict = new Dict(entriesOf(positional[0]));
      for (const [key, value] of named) dict.set(Text.template(key), value);
      return dict;
    }),
    new Callable('range', ({ positional }) => {
      const [first = 0n, second, third = 1n] = positional;
      return range(
        second === undefined ? 0 : toInteger(first, 'range'),
        toInteger(second ?? first, 'range'),
        toInteger(third, 'range'),
      );
    }),
    new Callable('cycler', ({ positional }) => cycler(positional)),
    new Callable('joiner', ({ positional }) => {
      let isFirst = true;
      return new Callable('joiner', () => {
        const separator = isFirst ? Text.empty : toText(positional[0] ?? Text.template(', '));
        isFirst = false;
        return separator;
      });
    }),
    new Callable('raise_exception', (args) => {
      throw new TemplateRaised(toText(argument(args, 0, 'message') ?? null).value);
    }),
    new Callable('strftime_now', (args) => {
      checkArguments('strftime_now', args, ['format']);
      return requireText(argument(args, 0, 'format'), 'the format').map((format) => formatTime(now, format));
    }),
  ];
  const constants: [string, Value][] = [
    ['true', true],
    ['false', false],
    ['none', null],
    ['True', true],
    ['False', false],
    ['None', null],
  ];
  return new Map<string, Value>([...constants, ...functions.map((each): [string, Value] => [each.name, each])]);
}

/** Of a dict, or of a list of pairs. */
function entriesOf(source: Value | undefined): DictEntry[] {
  if (source === undefined) return [];
  if (source instanceof Dict) return [...source.entries.values()];
  return iterate(source).map((pair) => {
    const [key, value, ...more] = iterate(pair);
    if (key === undefined || value === undefined || more.length > 0) {
      throw new TemplateError('a dict is made of pairs of a key and a value');
    }
    return { key, value };
  });
}

/** An object whose `next` goes round the items. */
function cycler(items: readonly Value[]): Namespace {
  if (items.length === 0) throw new TemplateError('at least one item has to be provided');
  const cycle = new Namespace();
  let index = 0;
  const turnTo = (next: number) => {
    index = next % items.length;
    cycle.attributes.set('current', items[index]!);
  };
  turnTo(0);
  cycle.attributes.set(
    'next',
    new Callable('next', () => {
      const item = items[index]!;
      turnTo(index + 1);
      return item;
    }),
  );
  cycle.attributes.set(
    'reset',
    new Callable('reset', () => {
      turnTo(0);
      return null;
    }),
  );
  return cycle;
}

function range(start: number, stop: number, step: number): List {
  if (step === 0) throw new TemplateError('range() step must not be zero');
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (count > maxRange) throw new TemplateError(`range too big, the limit is ${maxRange}`);
  return new List(Array.from({ length: count }, (_, index) => BigInt(start + index * step)));
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** Python's strftime in the C locale, local time. */
export function formatTime(time: Date, format: string): string {
  const day = days[time.getDay()]!;
  const month = months[time.getMonth()]!;
  const hour12 = time.getHours() % 12 || 12;
  const dayOfYear = Math.round(
    (Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) - Date.UTC(time.getFullYear(), 0, 0)) / 86_400_000,
  );
  const pad = (value: number, width = 2) => String(value).padStart(width, '0');
  const fields: Readonly<Record<string, string>> = {
    Y: pad(time.getFullYear(), 4),
    y: pad(time.getFullYear() % 100),
    m: pad(time.getMonth() + 1),
    d: pad(time.getDate()),
    e: String(time.getDate()).padStart(2),
    H: pad(time.getHours()),
    I: pad(hour12),
    M: pad(time.getMinutes()),
    S: pad(time.getSeconds()),
    f: pad(time.getMilliseconds() * 1000, 6),
    j: pad(dayOfYear, 3),
    p: time.getHours() < 12 ? 'AM' : 'PM',
    A: day,
    a: day.slice(0, 3),
    w: String(time.getDay()),
    B: month,
    b: month.slice(0, 3),
    h: month.slice(0, 3),
    '%': '%',
  };
  const composed = format
    .replace(/%F/g, '%Y-%m-%d')
    .replace(/%T/g, '%H:%M:%S')
    .replace(/%D/g, '%m/%d/%y')
    .replace(/%R/g, '%H:%M');
  return composed.replace(/%(-?)([a-zA-Z%])/g, (whole: string, dash: string, field: string) => {
    const value = fields[field];
    if (value === undefined) return whole;
    return dash === '' ? value : value.replace(/^[0 ]+(?=.)/, '');
  });
}
