// From a value off the wire to a typed one, or a RequestError that names the field, the value and what would work.

import { z } from 'zod';
import { RequestError } from './errors.ts';

/**
 * `value` as the schema reads it. Schema messages that begin with "must" are completed here: "top_p must be between 0
 * and 1, got 1.4". `whole` names the value itself in messages about it.
 */
export function parse<Output>(schema: z.ZodType<Output>, value: unknown, whole = 'the request body'): Output {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const issue = nearest(result.error.issues);
  const param = paramOf(issue.path);
  const subject = param ?? whole;
  throw new RequestError(sentence(subject, issue.message, valueAt(value, issue.path)), { param });
}

/** `messages[1].content[0].type` */
export function paramOf(path: readonly PropertyKey[]): string | null {
  let text = '';
  for (const key of path) text += typeof key === 'number' ? `[${key}]` : `${text === '' ? '' : '.'}${String(key)}`;
  return text === '' ? null : text;
}

/** A value as an error message shows it: JSON, cut short. */
export function show(value: unknown): string {
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a union that no branch fits: the branch that came furthest, as the likeliest one meant; else the union's own. */
function nearest(issues: readonly z.core.$ZodIssue[]): Issue {
  const issue = issues[0];
  if (issue === undefined) return { path: [], message: 'is not valid' };
  if (issue.code !== 'invalid_union') return issue;
  let best: Issue = issue;
  for (const branch of issue.errors) {
    const found = nearest(branch);
    const path = [...issue.path, ...found.path];
    if (path.length > best.path.length) best = { path, message: found.message };
  }
  return best;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path)
    at = at === null || typeof at !== 'object' ? undefined : (at as Record<PropertyKey, unknown>)[key];
  return at;
}

function sentence(subject: string, message: string, value: unknown): string {
  if (!message.startsWith('must ')) return `${subject} ${message}`;
  return value === undefined ? `${subject} is missing; it ${message}` : `${subject} ${message}, got ${show(value)}`;
}

// Fields. All optional ones take null for "the default", as clients send it.

export const flag = () => z.boolean('must be true or false').nullish();
export const text = () => z.string('must be a string');
export const optionalText = () => text().nullish();

/** Text that may be null or missing, which are one. */
export const textOrAbsent = () => optionalText().transform((value) => value ?? undefined);

/** A finite number: booleans, strings and 1e999 are refused. */
export const numberFrom = (low: number, high: number) => {
  const message =
    high === Infinity ? `must be a finite number of at least ${low}` : `must be a number between ${low} and ${high}`;
  const bounded = z.number(message).min(low, message);
  return (high === Infinity ? bounded : bounded.max(high, message)).nullish();
};

const MAX_COUNT = Number.MAX_SAFE_INTEGER;

/** A whole number; 40.0 is one. */
export const wholeFrom = (low: number) => {
  const message = low === -MAX_COUNT ? 'must be a whole number' : `must be a whole number of at least ${low}`;
  return z.int(message).min(low, message).nullish();
};
export const whole = () => wholeFrom(-MAX_COUNT);

/** Any integral number; large ones are taken as JSON gives them, the nearest double. */
export const seedNumber = () =>
  z
    .number('must be a whole number')
    .refine((value) => Number.isInteger(value), 'must be a whole number')
    .nullish();

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A JSON object kept as it came: the same keys in the same order. */
export const jsonObject = (message = 'must be an object') =>
  z.custom<Record<string, unknown>>(isObject, message).meta({ type: 'object' });
