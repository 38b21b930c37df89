// Jinja's tests: `value is NAME(argument)`.

import { Text } from './text.ts';
import {
  Callable,
  compare,
  Dict,
  isEqual,
  iterate,
  List,
  TemplateError,
  toInteger,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

export type Test = (value: Value, argument: Value) => boolean;

const isNumber = (value: Value) => typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean';
const remainder = (value: Value, by: number) => ((toInteger(value, 'the number') % by) + by) % by;
const isSequence = (value: Value) =>
  value instanceof Text || value instanceof List || value instanceof Dict || value instanceof Undefined;

const equal: Test = (value, argument) => isEqual(value, argument);
const unequal: Test = (value, argument) => !isEqual(value, argument);
const less: Test = (value, argument) => compare(value, argument) < 0;
const atMost: Test = (value, argument) => compare(value, argument) <= 0;
const greater: Test = (value, argument) => compare(value, argument) > 0;
const atLeast: Test = (value, argument) => compare(value, argument) >= 0;

export const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['defined', (value) => !(value instanceof Undefined)],
  ['undefined', (value) => value instanceof Undefined],
  ['none', (value) => value === null],
  ['boolean', (value) => typeof value === 'boolean'],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['string', (value) => value instanceof Text],
  ['number', isNumber],
  ['integer', (value) => typeof value === 'bigint'],
  ['float', (value) => typeof value === 'number'],
  ['mapping', (value) => value instanceof Dict],
  ['sequence', isSequence],
  ['iterable', isSequence],
  ['callable', (value) => value instanceof Callable],
  ['odd', (value) => remainder(value, 2) === 1],
  ['even', (value) => remainder(value, 2) === 0],
  ['divisibleby', (value, argument) => remainder(value, toInteger(argument, 'the divisor')) === 0],
  [
    'lower',
    (value) =>
      value instanceof Text && value.value !== value.value.toUpperCase() && value.value === value.value.toLowerCase(),
  ],
  [
    'upper',
    (value) =>
      value instanceof Text && value.value !== value.value.toLowerCase() && value.value === value.value.toUpperCase(),
  ],
  ['escaped', () => false],
  ['sameas', (value, argument) => typeName(value) === typeName(argument) && isEqual(value, argument)],
  ['in', (value, argument) => contains(argument, value)],
  ['eq', equal],
  ['equalto', equal],
  ['==', equal],
  ['ne', unequal],
  ['!=', unequal],
  ['lt', less],
  ['lessthan', less],
  ['<', less],
  ['le', atMost],
  ['<=', atMost],
  ['gt', greater],
  ['greaterthan', greater],
  ['>', greater],
  ['ge', atLeast],
  ['>=', atLeast],
]);

export function testNamed(name: string): Test {
  const test = tests.get(name);
  if (test === undefined) throw new TemplateError(`No test named '${name}'`);
  return test;
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
