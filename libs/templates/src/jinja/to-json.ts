// The tojson filter as transformers defines it: Python's json.dumps, with neither HTML nor other scripts escaped.

import { Text } from './text.ts';
import { Dict, formatFloat, List, TemplateError, typeName, type Value } from './values.ts';

export interface JsonForm {
  readonly ensureAscii: boolean;
  /** null: all on one line. */
  readonly indent: string | null;
  readonly separators: readonly [item: string, key: string];
  readonly sortKeys: boolean;
}

export const plainForm: JsonForm = { ensureAscii: false, indent: null, separators: [', ', ': '], sortKeys: false };

export function writeJson(value: Value, form: JsonForm = plainForm): string {
  return write(value, form, '\n');
}

/** Holding any caller text, the whole is the caller's: its brackets and quotes are plain text all the same. */
export function toJsonText(value: Value, form: JsonForm): Text {
  const json = writeJson(value, form);
  return holdsCallerText(value) ? Text.caller(json) : Text.template(json);
}

function holdsCallerText(value: Value): boolean {
  if (value instanceof Text) return value.hasCaller;
  if (value instanceof List) return value.items.some(holdsCallerText);
  if (value instanceof Dict) {
    return [...value.entries.values()].some((entry) => holdsCallerText(entry.key) || holdsCallerText(entry.value));
  }
  return true;
}

/** `newline` is a line break and the indentation around this value. */
function write(value: Value, form: JsonForm, newline: string): string {
  if (value instanceof Text) return writeText(value.value, form);
  if (value === null) return 'null';
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return writeFloat(value);
  if (value instanceof List) {
    return wrap('[', ']', form, newline, (inner) => value.items.map((item) => write(item, form, inner)));
  }
  if (value instanceof Dict) {
    const entries = [...value.entries.values()].map((entry) => ({ key: keyText(entry.key), value: entry.value }));
    if (form.sortKeys) entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    return wrap('{', '}', form, newline, (inner) =>
      entries.map((entry) => writeText(entry.key, form) + form.separators[1] + write(entry.value, form, inner)),
    );
  }
  throw new TemplateError(`Object of type ${typeName(value)} is not JSON serializable`);
}

function wrap(
  open: string,
  close: string,
  form: JsonForm,
  newline: string,
  writeItems: (inner: string) => string[],
): string {
  const inner = newline + (form.indent ?? '');
  const items = writeItems(inner);
  if (items.length === 0) return open + close;
  if (form.indent === null) return open + items.join(form.separators[0]) + close;
  return open + inner + items.join(form.separators[0] + inner) + newline + close;
}

function keyText(key: Value): string {
  if (key instanceof Text) return key.value;
  if (key === null || typeof key !== 'object') return write(key, plainForm, '');
  throw new TemplateError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function writeText(text: string, form: JsonForm): string {
  const json = JSON.stringify(text);
  if (!form.ensureAscii) return json;
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function writeFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return formatFloat(value);
}
