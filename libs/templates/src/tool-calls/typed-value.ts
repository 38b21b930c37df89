// An argument written as bare text (XML forms) to JSON, by the type the offered schema names.

import { isJson } from '../json-text.ts';

/** Text that does not fit the type stays text, for the client to validate. */
export function typedJson(text: string, type: string | null | undefined): string {
  const written = text.trim();
  return fits(written, type) ? (pythonWords[written] ?? written) : JSON.stringify(text);
}

/** The text becomes a JSON string whatever it says, so it can be told as it comes. */
export function isAlwaysText(type: string | null | undefined): boolean {
  return type === null || type === undefined || !readTypes.has(type);
}

/** Text as it stands inside a JSON string. Two halves of a character must come together. */
export function escapedJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// Some templates write earlier arguments as Python prints them, so their models do too.
const pythonWords: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

const readTypes: ReadonlySet<string> = new Set(['integer', 'number', 'boolean', 'null', 'array', 'object']);

function fits(written: string, type: string | null | undefined): boolean {
  switch (type) {
    case 'integer':
      return /^-?(?:0|[1-9]\d*)$/.test(written);
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(written);
    case 'boolean':
      return /^(?:true|false|True|False)$/.test(written);
    case 'null':
      return written === 'null' || written === 'None';
    case 'array':
      return written.startsWith('[') && isJson(written);
    case 'object':
      return written.startsWith('{') && isJson(written);
    default:
      return false;
  }
}
