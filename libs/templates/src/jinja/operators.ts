// Python's operators on template values.

import { Text } from './text.ts';
import { contains } from './tests.ts';
import { compare, isEqual, List, TemplateError, toText, typeName, Undefined, type Value } from './values.ts';

/** No template needs more; one that asks for more is broken or hostile. */
export const maxCharacters = 64 * 1024 * 1024;
const maxExponent = 10_000;

export function binary(operator: string, left: Value, right: Value): Value {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  if (operator === '~') return bounded(Text.concat([toText(left), toText(right)]));
  if (operator === 'in') return contains(right, left);
  if (operator === 'not in') return !contains(right, left);
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
  if (operator === '*' && left instanceof List && typeof right === 'bigint') return repeatList(left, Number(right));
  if (operator === '*' && typeof left === 'bigint' && right instanceof List) return repeatList(right, Number(left));
  if (operator === '*' && left instanceof Text && typeof right === 'bigint') return repeat(left, Number(right));
  if (operator === '*' && typeof left === 'bigint' && right instanceof Text) return repeat(right, Number(left));
  if (operator === '%' && left instanceof Text) return formatPercent(left, right);
  const a = typeof left === 'boolean' ? BigInt(left) : left;
  const b = typeof right === 'boolean' ? BigInt(right) : right;
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
  if (b > maxExponent) throw new TemplateError(`exponent ${b} is too large`);
  return a ** b;
}

function floats(operator: string, a: number, b: number): Value {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (operator === '**') return a ** b;
  if (b === 0) throw new TemplateError('division by zero');
  if (operator === '/') return a / b;
  if (operator === '//') return Math.floor(a / b);
  if (operator === '%') return a - Math.floor(a / b) * b;
  throw new TemplateError(`unknown operator ${operator}`);
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

function repeat(text: Text, count: number): Text {
  if (text.value.length * count > maxCharacters) {
    throw new TemplateError(`the template writes more than ${maxCharacters} characters`);
  }
  return Text.concat(Array.from({ length: Math.max(0, count) }, () => text));
}

function repeatList(list: List, count: number): List {
  if (list.items.length * count > maxCharacters) throw new TemplateError('the template makes too long a list');
  return new List(Array.from({ length: Math.max(0, count) }, () => list.items).flat(), list.isTuple);
}

/** `'%s of %d' % values`, without widths. */
function formatPercent(pattern: Text, given: Value): Text {
  const values = given instanceof List && given.isTuple ? given.items : [given];
  const parts: Text[] = [];
  let start = 0;
  let next = 0;
  for (const match of pattern.value.matchAll(/%([sd%])/g)) {
    parts.push(pattern.slice(start, match.index));
    start = match.index + match[0].length;
    const value = match[1] === '%' ? Text.template('%') : values[next++];
    if (value === undefined) throw new TemplateError('not enough arguments for format string');
    parts.push(toText(value));
  }
  parts.push(pattern.slice(start, pattern.value.length));
  return Text.concat(parts);
}
