// Calls as JSON objects {"name": ..., "arguments": {...}}: between tags (Hermes, Qwen), in a list (Nemotron v2), or bare (Llama).

import { wrappedArguments } from './json-arguments.ts';
import { type JsonKind, JsonScanner } from './json-scanner.ts';
import type { CallEvent, CallReader, CallSyntax } from './syntax.ts';

export const hermesJson = jsonBetween('hermes-json', '<tool_call>', '</tool_call>');
export const toolCallList = jsonBetween('toolcall-list', '<TOOLCALL>', '</TOOLCALL>');

/** Llama 3: the whole answer is a call, or several with semicolons between; built-in tools go through `<|python_tag|>`. */
export const llamaJson: CallSyntax = { ...jsonBetween('llama-json', '<|python_tag|>', null), bare: true };

function jsonBetween(name: string, opener: string, closer: string | null): CallSyntax {
  return { name, opener, closer, inner: [], bare: false, createReader: () => new ObjectCalls() };
}

/** Objects one after the other, or one list of them. A call is whole at its object's closing brace. */
export class ObjectCalls implements CallReader {
  state: 'open' | 'over' | 'broken' = 'open';
  #at = 0;
  #isList = false;
  #numObjects = 0;
  #object: ObjectCall | null = null;

  get isInsideText(): boolean {
    return this.#object?.isInsideString ?? false;
  }

  push(text: string): CallEvent[] {
    const events: CallEvent[] = [];
    let index = 0;
    while (index < text.length && this.state === 'open') {
      const taken =
        this.#object === null
          ? this.#takeBetween(text[index]!, events)
          : this.#takeObject(this.#object, text.slice(index), events);
      index += taken;
      this.#at += taken;
    }
    return events;
  }

  close(): CallEvent[] {
    if (this.#object !== null) this.state = 'broken';
    return [];
  }

  /** How many characters it took. */
  #takeBetween(character: string, events: CallEvent[]): number {
    if (character === '{') {
      this.#object = new ObjectCall(this.#at);
      this.#numObjects += 1;
      return 0;
    }
    const isFirst = this.#numObjects === 0;
    const isSeparator = isFirst ? character === '[' && !this.#isList : /[,;\]]/.test(character);
    if (isFirst && isSeparator) this.#isList = true;
    else if (!isSeparator && !/\s/.test(character)) {
      this.state = isFirst ? 'broken' : 'over';
      return 0;
    }
    if (isSeparator) events.push({ type: 'skip', at: this.#at + 1 });
    return 1;
  }

  #takeObject(object: ObjectCall, text: string, events: CallEvent[]): number {
    const taken = object.push(text, events);
    if (object.state === 'broken') this.state = 'broken';
    if (object.state === 'done') this.#object = null;
    return taken;
  }
}

type Role = 'name' | 'arguments';

/** One object that may be a call. */
class ObjectCall {
  readonly #scanner: JsonScanner;
  /** Where the object stands in the block; offsets here count from it. */
  readonly #start: number;
  /** What was read. Only ever cut into for names, as each cut copies it. */
  #text = '';
  /** Where `name` and `arguments` stand: 2 inside a `function` object. */
  #depth = 1;
  #key = '';
  #member: { readonly role: Role; readonly start: number } | null = null;
  #name: string | null = null;
  #arguments: { told: number; end: number | null } | null = null;
  #wrapped: string | null = null;
  #cannotBeCall = false;
  #events: CallEvent[] = [];

  constructor(start: number) {
    this.#start = start;
    this.#scanner = new JsonScanner({
      key: (depth, from, to) => {
        if (depth <= this.#depth) this.#key = JSON.parse(this.#text.slice(from, to)) as string;
      },
      start: (kind, depth, at) => {
        this.#startValue(kind, depth, at);
      },
      end: (kind, depth, at) => {
        this.#endValue(kind, depth, at);
      },
    });
  }

  get state(): JsonScanner['state'] {
    return this.#scanner.state;
  }

  get isInsideString(): boolean {
    return this.#scanner.isInsideString;
  }

  /** Reads on; how many characters it took. */
  push(text: string, events: CallEvent[]): number {
    const before = this.#text.length;
    this.#text += text;
    this.#events = events;
    const taken = this.#scanner.push(text);
    this.#tellArguments(text, before, before + taken);
    if (this.state === 'done') this.#finish(before + taken);
    return taken;
  }

  #startValue(kind: JsonKind, depth: number, at: number): void {
    if (depth === 1 && this.#key === 'function' && this.#name === null && kind === 'object') this.#depth = 2;
    if (depth !== this.#depth || depth === 0) return;
    const role = this.#roleOf(depth);
    if (role === null) return;
    this.#member = { role, start: at };
    if (role === 'name') this.#cannotBeCall ||= kind !== 'string';
    else if (kind === 'object') this.#arguments = { told: at, end: null };
    else this.#cannotBeCall ||= kind === 'array' || kind === 'number';
  }

  #roleOf(depth: number): Role | null {
    const isName = this.#key === 'name' || (this.#key === 'function' && depth === 1);
    if (isName) return this.#name === null ? 'name' : null;
    const isArguments = this.#key === 'arguments' || this.#key === 'parameters';
    return isArguments && this.#arguments === null && this.#wrapped === null ? 'arguments' : null;
  }

  #endValue(kind: JsonKind, depth: number, at: number): void {
    const member = this.#member;
    if (member === null || depth !== this.#depth) return;
    this.#member = null;
    if (this.#cannotBeCall) return;
    if (member.role === 'name') {
      this.#name = JSON.parse(this.#text.slice(member.start, at)) as string;
      this.#events.push({ type: 'name', name: this.#name, at: this.#start + at });
    } else if (kind === 'object') {
      this.#arguments!.end = at;
    } else {
      this.#wrapped = wrappedArguments(this.#text.slice(member.start, at));
      this.#cannotBeCall = this.#wrapped === null;
    }
  }

  /** All of the arguments that was read, but for the closing brace: that comes when the call is whole. */
  #tellArguments(text: string, before: number, at: number): void {
    const given = this.#arguments;
    if (this.#name === null || given === null || this.#cannotBeCall) return;
    const end = given.end === null ? at : given.end - 1;
    if (end <= given.told) return;
    // Arguments that came before the name were kept.
    const piece =
      given.told >= before ? text.slice(given.told - before, end - before) : this.#text.slice(given.told, end);
    this.#events.push({ type: 'arguments', text: piece, at: this.#start + end });
    given.told = end;
  }

  #finish(end: number): void {
    const at = this.#start + end;
    if (this.#name === null || this.#cannotBeCall) {
      this.#events.push({ type: 'failed', at });
      return;
    }
    const rest = this.#wrapped ?? (this.#arguments === null ? '{}' : '}');
    this.#events.push({ type: 'arguments', text: rest, at }, { type: 'end', at });
  }
}
