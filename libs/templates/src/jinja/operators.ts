// Python's operators on template values.

import { formatPercent } from './format.ts';
import { maxCharacters } from './limits.ts';
import { Text } from './text.ts';
import {
  compare,
  Dict,
  isEqual,
  iterate,
  List,
  TemplateError,
  toText,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

const maxExponent = 10_000;

export function binary(operator: string, left: Value, right: Value): Value {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  if (operator === '~') return bounded(Text.concat([toText(left), toText(right)]));
  if (operator === 'in') return contains(right, left);
  if (operator === 'not in') return !contains(right, left);
  if (operator === '%' && left instanceof Text) return formatPercent(left, right);
  if (left instanceof Undefined) throw new TemplateError(left.what);
  if (right instanceof Undefined) throw new TemplateError(right.what);
  if (operator === '<') return compare(left, right) < 0;
  if (operator === '<=') return compare(left, right) <= 0;
  if (operator === '>') return compare(left, right) > 0;
  if (operator === '>=') return compare(left, right) >= 0;
  return arithmetic(operator, left, right);
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  if (operator === '+' && left instanceof Text && right instanceof Text) return bounded(Text.concat([left, right]));
  if (operator === '+' && left instanceof List && right instanceof List && left.isTuple === right.isTuple) {
    return new List([...left.items, ...right.items], left.isTuple);
  }
  const a = typeof left === 'boolean' ? BigInt(left) : left;
  const b = typeof right === 'boolean' ? BigInt(right) : right;
  if (operator === '*' && (left instanceof Text || left instanceof List) && typeof b === 'bigint')
    return times(left, b);
  if (operator === '*' && (right instanceof Text || right instanceof List) && typeof a === 'bigint')
    return times(right, a);
  if (typeof a === 'bigint' && typeof b === 'bigint') return integers(operator, a, b);
  if ((typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number')) {
    return floats(operator, Number(a), Number(b));
  }
  throw new TemplateError(mismatch(operator, left, right));
}

function mismatch(operator: string, left: Value, right: Value): string {
  if (operator === '+' && left instanceof Text) {
    return `can only concatenate str (not "${right === null ? 'NoneType' : typeName(right)}") to str`;
  }
  return `unsupported operand types for ${operator}: '${typeName(left)}' and '${typeName(right)}'`;
}

function integers(operator: string, a: bigint, b: bigint): Value {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (operator === '**') return power(a, b);
  if (b === 0n) throw new TemplateError('division by zero');
  if (operator === '/') return Number(a) / Number(b);
  const rest = a % b;
  const isBelow = rest !== 0n && rest < 0n !== b < 0n;
  if (operator === '//') return a / b - (isBelow ? 1n : 0n);
  if (operator === '%') return isBelow ? rest + b : rest;
  throw new TemplateError(`unknown operator ${operator}`);
}

function power(a: bigint, b: bigint): Value {
  if (b < 0n) return floats('**', Number(a), Number(b));
  if (b > maxExponent && a * a > 1n) throw new TemplateError(`exponent ${b} is too large`);
  return a * a > 1n ? a ** b : a ** (b % 2n === 0n ? (b === 0n ? 0n : 2n) : 1n);
}

function floats(operator: string, a: number, b: number): Value {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (operator === '**') return floatPower(a, b);
  if (b === 0) throw new TemplateError('division by zero');
  if (operator === '/') return a / b;
  const rest = modulo(a, b);
  // Not floor(a / b): that quotient may have been rounded up to a whole number.
  if (operator === '//') return Math.round((a - rest) / b) || (1 / (a / b) < 0 ? -0 : 0);
  if (operator === '%') return rest;
  throw new TemplateError(`unknown operator ${operator}`);
}

function floatPower(a: number, b: number): number {
  const result = a ** b;
  const isFinite = Number.isFinite(a) && Number.isFinite(b);
  if (isFinite && Number.isNaN(result)) throw new TemplateError(`${a} ** ${b} is a complex number`);
  if (isFinite && !Number.isFinite(result)) {
    throw new TemplateError(a === 0 ? '0.0 cannot be raised to a negative power' : `${a} ** ${b} is too large`);
  }
  return result;
}

/** The remainder with the sign of `b`; zero too. */
function modulo(a: number, b: number): number {
  const rest = a % b;
  if (rest === 0) return b < 0 ? -0 : 0;
  return rest < 0 !== b < 0 ? rest + b : rest;
}

export function negate(value: Value): Value {
  if (typeof value === 'bigint' || typeof value === 'number') return -value;
  if (typeof value === 'boolean') return BigInt(value) * -1n;
  throw new TemplateError(`bad operand type for unary -: '${typeName(value)}'`);
}

export function bounded<T extends Value>(value: T): T {
  if (value instanceof Text && value.value.length > maxCharacters) {
    throw new TemplateError(`the template writes more than ${maxCharacters} characters`);
  }
  return value;
}

function times(value: Text | List, count: bigint): Value {
  return value instanceof Text ? repeat(value, Number(count)) : repeatList(value, Number(count));
}

function repeat(text: Text, count: number): Text {
  if (text.value.length * count > maxCharacters) {
    throw new TemplateError(`the template writes more than ${maxCharacters} characters`);
  }
  if (text.value === '') return text;
  return Text.concat(Array.from({ length: Math.max(0, count) }, () => text));
}

function repeatList(list: List, count: number): List {
  if (list.items.length * count > maxCharacters) throw new TemplateError('the template makes too long a list');
  const numTimes = list.items.length === 0 ? 0 : Math.max(0, count);
  return new List(Array.from({ length: numTimes }, () => list.items).flat(), list.isTuple);
}

/** Python's `value in container`. */
export function contains(container: Value, value: Value): boolean {
  if (container instanceof Text) {
    if (value instanceof Text) return container.value.includes(value.value);
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(value)}`);
  }
  if (container instanceof Dict) return container.has(value);
  if (container instanceof List || container instanceof Undefined) {
    return iterate(container).some((item) => isEqual(item, value));
  }
  throw new TemplateError(`argument of type '${typeName(container)}' is not iterable`);
}
