// Jinja's tests: `value is NAME(argument)`.

import { binary, contains } from './operators.ts';
import { Text } from './text.ts';
import {
  Callable,
  compare,
  Dict,
  isEqual,
  List,
  TemplateError,
  toText,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

export type Test = (value: Value, argument: Value) => boolean;

const isNumber = (value: Value) => typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean';
const hasRemainder = (value: Value, by: Value, rest: bigint) => isEqual(binary('%', value, by), rest);
const isSequence = (value: Value) =>
  value instanceof Text || value instanceof List || value instanceof Dict || value instanceof Undefined;

/** Of the printed value: some letter has a case, and all have this one. */
function isCased(value: Value, change: (text: string) => string): boolean {
  const text = toText(value).value;
  return text === change(text) && text.toLowerCase() !== text.toUpperCase();
}

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
  ['callable', (value) => value instanceof Callable || value instanceof Undefined],
  ['odd', (value) => hasRemainder(value, 2n, 1n)],
  ['even', (value) => hasRemainder(value, 2n, 0n)],
  ['divisibleby', (value, argument) => hasRemainder(value, argument, 0n)],
  ['test', (value) => value instanceof Text && tests.has(value.value)],
  ['lower', (value) => isCased(value, (text) => text.toLowerCase())],
  ['upper', (value) => isCased(value, (text) => text.toUpperCase())],
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

const takesArgument = new Set([
  'divisibleby',
  'sameas',
  'in',
  'eq',
  'equalto',
  '==',
  'ne',
  '!=',
  'lt',
  'lessthan',
  '<',
]);
for (const name of ['le', '<=', 'gt', 'greaterthan', '>', 'ge', '>=']) takesArgument.add(name);

/** `value is NAME(given)`. */
export function runTest(name: string, value: Value, given: readonly Value[]): boolean {
  const test = testNamed(name);
  const numTaken = takesArgument.has(name) ? 1 : 0;
  if (given.length !== numTaken)
    throw new TemplateError(`test '${name}' takes ${numTaken} arguments, got ${given.length}`);
  return test(value, numTaken === 0 ? null : given[0]!);
}

export function testNamed(name: string): Test {
  const test = tests.get(name);
  if (test === undefined) throw new TemplateError(`No test named '${name}'`);
  return test;
}
