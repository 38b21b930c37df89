// Typed looks into a checkpoint's configuration, whichever form it has. Errors name the field, the value and the file.

import { CheckpointError } from './checkpoint-error.ts';

/** A configuration: GGUF metadata under one architecture, or an object of config.json. Numbers may come in any width. */
export class Fields {
  readonly path: string;
  private readonly look: (name: string) => unknown;
  private readonly prefix: string;

  constructor(path: string, prefix: string, look: (name: string) => unknown) {
    this.path = path;
    this.prefix = prefix;
    this.look = look;
  }

  static ofJson(path: string, json: Readonly<Record<string, unknown>>, prefix = ''): Fields {
    return new Fields(path, prefix, (name) => (Object.hasOwn(json, name) ? (json[name] ?? undefined) : undefined));
  }

  has(name: string): boolean {
    return this.look(name) !== undefined;
  }

  raw(name: string): unknown {
    return this.look(name);
  }

  /** A whole number >= 1. */
  count(name: string, otherwise?: number): number {
    return this.number(
      name,
      otherwise,
      (value) => Number.isSafeInteger(value) && value >= 1,
      'a whole number of at least 1',
    );
  }

  /** A whole number >= 0. */
  whole(name: string, otherwise?: number): number {
    return this.number(name, otherwise, (value) => Number.isSafeInteger(value) && value >= 0, 'a whole number');
  }

  /** A finite number above 0. */
  positive(name: string, otherwise?: number): number {
    return this.number(name, otherwise, (value) => Number.isFinite(value) && value > 0, 'a number above 0');
  }

  /** A finite number. */
  finite(name: string, otherwise?: number): number {
    return this.number(name, otherwise, Number.isFinite, 'a number');
  }

  /** A count that may be given as a list of equal ones, one a layer. */
  evenCount(name: string, otherwise?: number): number {
    const value = this.look(name);
    if (!Array.isArray(value)) return this.count(name, otherwise);
    const distinct = [...new Set(value.map(toNumber))];
    const [only] = distinct;
    if (distinct.length === 1 && Number.isSafeInteger(only) && only! >= 1) return only!;
    throw this.error(name, value, 'the same whole number for every layer');
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.look(name);
    if (value === undefined) return otherwise;
    if (typeof value !== 'boolean') throw this.error(name, value, 'true or false');
    return value;
  }

  text(name: string, otherwise?: string): string {
    const value = this.look(name) ?? otherwise;
    if (typeof value !== 'string') throw this.error(name, value, 'a text');
    return value;
  }

  /** An object inside, or null. */
  object(name: string): Fields | null {
    const value = this.look(name);
    if (value === undefined) return null;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.error(name, value, 'an object');
    return Fields.ofJson(this.path, value as Record<string, unknown>, `${this.prefix}${name}.`);
  }

  error(name: string, value: unknown, expected: string): CheckpointError {
    const got = value === undefined ? 'it is missing' : `got ${describe(value)}`;
    return new CheckpointError(this.path, `${this.prefix}${name} must be ${expected}, ${got}`);
  }

  private number(
    name: string,
    otherwise: number | undefined,
    ok: (value: number) => boolean,
    expected: string,
  ): number {
    const given = this.look(name);
    const value = given === undefined ? otherwise : toNumber(given);
    if (value === undefined || !ok(value)) throw this.error(name, given, expected);
    return value;
  }
}

function toNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
}

function describe(value: unknown): string {
  // JSON has no way to write these.
  const isNumber = typeof value === 'bigint' || typeof value === 'number';
  const text = isNumber ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
