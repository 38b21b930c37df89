// The values of a template at run time, after Python: int is bigint, float is number, str is Text, None is null.

import { Text } from './text.ts';

export type Value = Text | bigint | number | boolean | null | Undefined | List | Dict | Namespace | Callable | Loop;

/** A name or attribute that is not there. Printed it is nothing; used further it is an error that says `what`. */
export class Undefined {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

export class List {
  readonly items: readonly Value[];
  readonly isTuple: boolean;
  constructor(items: readonly Value[], isTuple = false) {
    this.items = items;
    this.isTuple = isTuple;
  }
}

/** What groupby gives: a pair whose halves have names. */
export class Group extends List {
  constructor(grouper: Value, list: List) {
    super([grouper, list], true);
  }

  attribute(name: string): Value | undefined {
    if (name === 'grouper') return this.items[0];
    return name === 'list' ? this.items[1] : undefined;
  }
}

export interface DictEntry {
  readonly key: Value;
  readonly value: Value;
}

export class Dict {
  readonly entries = new Map<string, DictEntry>();

  constructor(entries: Iterable<DictEntry> = []) {
    for (const { key, value } of entries) this.set(key, value);
  }

  set(key: Value, value: Value): void {
    const hash = hashOf(key);
    // A key that is set again keeps its place and its first spelling, as in Python.
    const known = this.entries.get(hash);
    this.entries.set(hash, { key: known === undefined ? key : known.key, value });
  }

  get(key: Value): Value | undefined {
    return this.entries.get(hashOf(key))?.value;
  }

  getText(key: string): Value | undefined {
    return this.entries.get(`s${key}`)?.value;
  }

  has(key: Value): boolean {
    return this.entries.has(hashOf(key));
  }
}

function hashOf(key: Value): string {
  if (key instanceof Text) return `s${key.value}`;
  if (typeof key === 'boolean') return `n${Number(key)}`;
  if (typeof key === 'bigint' || typeof key === 'number') return `n${key}`;
  if (key === null) return '0';
  if (key instanceof Undefined) return 'u';
  if (key instanceof List && key.isTuple) return `t${key.items.map((item) => `${hashOf(item)},`).join('')}`;
  throw new TemplateError(`unhashable type: ${typeName(key)}`);
}

export class Namespace {
  readonly attributes = new Map<string, Value>();
}

export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export class Callable {
  readonly name: string;
  readonly call: (args: Arguments) => Value;
  constructor(name: string, call: (args: Arguments) => Value) {
    this.name = name;
    this.call = call;
  }
}

/** `loop` inside a for block. */
export class Loop {
  readonly #items: readonly Value[];
  readonly #index: number;
  /** How deep a recursive loop is in itself, from 1. */
  readonly depth: number;
  /** What `changed` was last asked about, in any turn of the loop. */
  readonly #memory: { asked: readonly Value[] | null };

  /** `loop(items)` of a recursive loop. */
  readonly recurse: (args: Arguments) => Value;

  constructor(
    items: readonly Value[],
    index: number,
    depth: number,
    memory: { asked: readonly Value[] | null },
    recurse: (args: Arguments) => Value,
  ) {
    this.recurse = recurse;
    this.#memory = memory;
    this.#items = items;
    this.#index = index;
    this.depth = depth;
  }

  attribute(name: string): Value | undefined {
    const index = this.#index;
    const { length } = this.#items;
    switch (name) {
      case 'index':
        return BigInt(index + 1);
      case 'index0':
        return BigInt(index);
      case 'revindex':
        return BigInt(length - index);
      case 'revindex0':
        return BigInt(length - index - 1);
      case 'first':
        return index === 0;
      case 'last':
        return index === length - 1;
      case 'length':
        return BigInt(length);
      case 'depth':
        return BigInt(this.depth);
      case 'depth0':
        return BigInt(this.depth - 1);
      case 'previtem':
        return or(this.#items[index - 1], new Undefined('there is no previous item'));
      case 'nextitem':
        return or(this.#items[index + 1], new Undefined('there is no next item'));
      case 'cycle':
        return new Callable(name, ({ positional }) =>
          or(positional[index % positional.length], new Undefined('cycle of nothing')),
        );
      case 'changed':
        return new Callable(name, ({ positional }) => {
          const before = this.#memory.asked;
          this.#memory.asked = positional;
          return before === null || !isEqual(new List(before), new List(positional));
        });
      default:
        return undefined;
    }
  }
}

/** What a template cannot do with what it was given: Python's TypeError, UndefinedError and the like. */
export class TemplateError extends Error {
  override readonly name: string = 'TemplateError';
  /** Of the statement that could not be run. */
  line: number | undefined;
}

/** The template called `raise_exception`. */
export class TemplateRaised extends TemplateError {
  override readonly name = 'TemplateRaised';
}

export function typeName(value: Value): string {
  if (value instanceof Text) return 'str';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  if (typeof value === 'boolean') return 'bool';
  if (value === null) return 'None';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof List) return value.isTuple ? 'tuple' : 'list';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Namespace) return 'Namespace';
  return value instanceof Loop ? 'LoopContext' : 'function';
}

export function isTrue(value: Value): boolean {
  if (value instanceof Text) return value.segments.length > 0;
  if (value instanceof List) return value.items.length > 0;
  if (value instanceof Dict) return value.entries.size > 0;
  if (value instanceof Undefined || value === null) return false;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value === 'number') return value !== 0;
  return value !== false;
}

export function isEqual(left: Value, right: Value): boolean {
  if (left instanceof Text && right instanceof Text) return left.value === right.value;
  if (left instanceof Undefined && right instanceof Undefined) return true;
  if (left instanceof List && right instanceof List) {
    if (left.isTuple !== right.isTuple || left.items.length !== right.items.length) return false;
    return left.items.every((item, index) => isEqual(item, right.items[index]!));
  }
  if (left instanceof Dict && right instanceof Dict) {
    if (left.entries.size !== right.entries.size) return false;
    return [...left.entries].every(([hash, { value }]) => {
      const other = right.entries.get(hash);
      return other !== undefined && isEqual(value, other.value);
    });
  }
  const a = typeof left === 'boolean' ? BigInt(left) : left;
  const b = typeof right === 'boolean' ? BigInt(right) : right;
  // 1 == 1.0 holds in Python and between bigint and number here.
  if ((typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number'))
    return a == b;
  return left === right;
}

/** Python's `<` as -1, 0 or 1. */
export function compare(left: Value, right: Value): number {
  if (left instanceof Text && right instanceof Text) return compareCodePoints(left.value, right.value);
  if (left instanceof List && right instanceof List && left.isTuple === right.isTuple) {
    for (let index = 0; index < Math.min(left.items.length, right.items.length); index += 1) {
      // Equal items need no order: [{}] and [{}] can be compared.
      if (isEqual(left.items[index]!, right.items[index]!)) continue;
      return compare(left.items[index]!, right.items[index]!);
    }
    return Math.sign(left.items.length - right.items.length);
  }
  const a = typeof left === 'boolean' ? BigInt(left) : left;
  const b = typeof right === 'boolean' ? BigInt(right) : right;
  if ((typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number')) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  throw new TemplateError(`cannot compare ${typeName(left)} with ${typeName(right)}`);
}

function compareCodePoints(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const order = a[index]!.codePointAt(0)! - b[index]!.codePointAt(0)!;
    if (order !== 0) return Math.sign(order);
  }
  return Math.sign(a.length - b.length);
}

/** The items a for loop or a filter walks over. */
export function iterate(value: Value): Value[] {
  if (value instanceof List) return [...value.items];
  if (value instanceof Dict) return [...value.entries.values()].map(({ key }) => key);
  if (value instanceof Undefined) return [];
  if (value instanceof Text) return characters(value);
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

export function characters(text: Text): Text[] {
  let offset = 0;
  return [...text.value].map((character) => {
    offset += character.length;
    return text.slice(offset - character.length, offset);
  });
}

/** Python's str(). What is not text already is digits and brackets around caller text: never a control token. */
export function toText(value: Value): Text {
  if (value instanceof Text) return value;
  if (value instanceof Undefined) return Text.empty;
  return Text.caller(represent(value));
}

/** Python's repr(). */
export function represent(value: Value): string {
  if (value instanceof Text) return representText(value.value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return formatFloat(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof List) {
    const items = value.items.map(represent).join(', ');
    if (!value.isTuple) return `[${items}]`;
    return value.items.length === 1 ? `(${items},)` : `(${items})`;
  }
  if (value instanceof Dict) {
    return `{${[...value.entries.values()].map((entry) => `${represent(entry.key)}: ${represent(entry.value)}`).join(', ')}}`;
  }
  return `<${typeName(value)}>`;
}

function representText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  // oxlint-disable-next-line no-control-regex
  const body = text.replace(/[\\\n\r\t'"\x00-\x1f\x7f-\xa0\xad]/g, (character) => {
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    if (character === '\\') return '\\\\';
    if (character === '\n') return '\\n';
    if (character === '\r') return '\\r';
    if (character === '\t') return '\\t';
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `${quote}${body}${quote}`;
}

/** Python's repr of a float: the same shortest digits as JavaScript, an exponent below 1e-4 and from 1e16 on. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const sign = exponent < 0 ? '-' : '+';
    return `${mantissa}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
  }
  const digits = mantissa.replace(/[-.]/g, '');
  const sign = value < 0 ? '-' : '';
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

/** `value`, or `otherwise` where there is none. Not `??`: None is null here, and a value like any other. */
export function or(value: Value | undefined, otherwise: Value): Value {
  return value === undefined ? otherwise : value;
}

/** A whole number, for indices and counts. */
export function toInteger(value: Value, what: string): number {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'boolean') return Number(value);
  throw new TemplateError(`${what} must be an integer, got ${typeName(value)}`);
}

export function requireText(value: Value | undefined, what: string): Text {
  if (value instanceof Text) return value;
  throw new TemplateError(`${what} must be text, got ${value === undefined ? 'nothing' : typeName(value)}`);
}
