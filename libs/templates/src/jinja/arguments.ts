// Reads a call's arguments by position or name, as Python binds them.

import { type Arguments, TemplateError, type Value } from './values.ts';

export const noArguments: Arguments = { positional: [], named: new Map() };

export function argument(args: Arguments, index: number, name: string): Value | undefined {
  return index < args.positional.length ? args.positional[index] : args.named.get(name);
}

/** An error where a call brings more, or other, arguments than `names`. */
export function checkArguments(callee: string, args: Arguments, names: readonly string[]): void {
  if (args.positional.length > names.length) {
    throw new TemplateError(`${callee} takes at most ${names.length} arguments, got ${args.positional.length}`);
  }
  for (const name of args.named.keys()) {
    if (!names.includes(name)) throw new TemplateError(`${callee} takes no argument '${name}'`);
  }
}
