// A call's arguments where they stand by themselves: a JSON object, told as it is written; or one wrapped in a string.

import { readJsonMembers } from '../json-text.ts';
import { JsonScanner } from './json-scanner.ts';
import type { CallEvent, CallReader } from './syntax.ts';

export class JsonArguments {
  state: 'open' | 'done' | 'broken' = 'open';
  readonly #scanner = new JsonScanner({});
  #isObject: boolean | null = null;
  /** Of what is no object. */
  #text = '';

  get isInsideText(): boolean {
    return this.#scanner.isInsideString;
  }

  /** The piece to tell, and how many characters it took: all, those through the end, or those before a wrong one. */
  push(text: string): { readonly taken: number; readonly piece: string; readonly state: JsonArguments['state'] } {
    const blanks = this.#isObject === null ? text.length - text.trimStart().length : 0;
    if (blanks === text.length) return { taken: blanks, piece: '', state: this.state };
    this.#isObject ??= text[blanks] === '{';
    const rest = text.slice(blanks);
    const taken = this.#scanner.push(rest);
    this.state = this.#scanner.state;
    const piece = this.#isObject ? rest.slice(0, taken) : this.#unwrap(rest.slice(0, taken));
    return { taken: blanks + taken, piece, state: this.state };
  }

  #unwrap(read: string): string {
    this.#text += read;
    const whole = this.state === 'done' && read !== '' ? wrappedArguments(this.#text) : '';
    if (whole === null) this.state = 'broken';
    return whole ?? '';
  }

  /** What stands for arguments that were left out; null where they were begun and are not whole. */
  close(): string | null {
    if (this.state === 'done') return '';
    if (this.#isObject !== null) return null;
    this.state = 'done';
    return '{}';
  }
}

/** The object that a JSON string or null stands for; null where there is none. */
export function wrappedArguments(json: string): string | null {
  if (json.trim() === 'null') return '{}';
  if (!json.trim().startsWith('"')) return null;
  const text = (JSON.parse(json) as string).trim();
  return text === '' ? '{}' : readJsonMembers(text) !== null ? text : null;
}

/** A block that is the arguments of one call, named before it. */
export class NamedCall implements CallReader {
  state: CallReader['state'] = 'open';
  readonly #name: string;
  readonly #arguments = new JsonArguments();
  #isNamed = false;
  #at = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get isInsideText(): boolean {
    return this.#arguments.isInsideText;
  }

  push(text: string): CallEvent[] {
    const events = this.#nameOnce();
    const { taken, piece, state } = this.#arguments.push(text);
    this.#at += taken;
    if (piece !== '') events.push({ type: 'arguments', text: piece, at: this.#at });
    if (state === 'done' && piece !== '') events.push({ type: 'end', at: this.#at });
    if (state === 'broken') this.state = 'broken';
    else if (text.slice(taken).trim() !== '') this.state = 'over';
    return events;
  }

  close(isCut: boolean): CallEvent[] {
    if (this.#arguments.state === 'done') return [];
    const piece = isCut ? null : this.#arguments.close();
    if (piece === null) this.state = 'broken';
    if (piece === null) return [];
    return [...this.#nameOnce(), { type: 'arguments', text: piece, at: this.#at }, { type: 'end', at: this.#at }];
  }

  #nameOnce(): CallEvent[] {
    if (this.#isNamed) return [];
    this.#isNamed = true;
    return [{ type: 'name', name: this.#name, at: 0 }];
  }
}
