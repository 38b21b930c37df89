// JSON text read without losing how numbers were written: 1.0 stays a float, a long integer stays exact, key order is kept.

import { Text } from './jinja/text.ts';
import { Dict, List, type Value } from './jinja/values.ts';

/** JSON text to template values whose strings are the caller's. SyntaxError where it is not JSON. */
export function parseJson(json: string): Value {
  return new Reader(json).readWhole();
}

export interface JsonMember {
  readonly value: Value;
  /** As it was written. */
  readonly text: string;
}

/** An object's members with their own text; null where the text is no JSON object. */
export function readJsonMembers(json: string): ReadonlyMap<string, JsonMember> | null {
  try {
    return new Reader(json).readMembers();
  } catch {
    return null;
  }
}

/** Whether the text is JSON of any kind. */
export function isJson(json: string): boolean {
  try {
    parseJson(json);
    return true;
  } catch {
    return false;
  }
}

const blanks = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
// oxlint-disable-next-line no-control-regex
const text = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const maxDepth = 512;

class Reader {
  readonly #json: string;
  #at = 0;
  #depth = 0;

  constructor(json: string) {
    this.#json = json;
  }

  readWhole(): Value {
    const value = this.#readValue();
    this.#skip();
    if (this.#at < this.#json.length) throw this.#unexpected();
    return value;
  }

  readMembers(): Map<string, JsonMember> {
    const members = new Map<string, JsonMember>();
    if (!this.#take('{')) throw this.#unexpected();
    if (!this.#take('}')) {
      do {
        this.#skip();
        const key = this.#readText().value;
        if (!this.#take(':')) throw this.#unexpected();
        this.#skip();
        const start = this.#at;
        const value = this.#readValue();
        members.set(key, { value, text: this.#json.slice(start, this.#at) });
      } while (this.#take(','));
      if (!this.#take('}')) throw this.#unexpected();
    }
    this.#skip();
    if (this.#at < this.#json.length) throw this.#unexpected();
    return members;
  }

  #readValue(): Value {
    this.#skip();
    const first = this.#json[this.#at];
    if (first === '{') return this.#nested(() => this.#readObject());
    if (first === '[') return this.#nested(() => this.#readList());
    if (first === '"') return this.#readText();
    if (this.#takeWord('true')) return true;
    if (this.#takeWord('false')) return false;
    if (this.#takeWord('null')) return null;
    return this.#readNumber();
  }

  #nested(read: () => Value): Value {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new SyntaxError(`JSON nests deeper than ${maxDepth}`);
    this.#at += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #readObject(): Dict {
    const dict = new Dict();
    if (this.#take('}')) return dict;
    do {
      this.#skip();
      const key = this.#readText();
      if (!this.#take(':')) throw this.#unexpected();
      dict.set(key, this.#readValue());
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#unexpected();
    return dict;
  }

  #readList(): List {
    const items: Value[] = [];
    if (this.#take(']')) return new List(items);
    do items.push(this.#readValue());
    while (this.#take(','));
    if (!this.#take(']')) throw this.#unexpected();
    return new List(items);
  }

  #readText(): Text {
    const match = this.#match(text);
    if (match === null) throw this.#unexpected();
    return Text.caller(JSON.parse(match[0]) as string);
  }

  #readNumber(): Value {
    const match = this.#match(number);
    if (match === null) throw this.#unexpected();
    return match[1] === undefined && match[2] === undefined ? BigInt(match[0]) : Number(match[0]);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#json);
    if (match !== null) this.#at = pattern.lastIndex;
    return match;
  }

  #skip(): void {
    this.#match(blanks);
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#json[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #takeWord(word: string): boolean {
    if (!this.#json.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #unexpected(): SyntaxError {
    const found = this.#json[this.#at];
    const what = found === undefined ? 'the text ends' : `unexpected ${JSON.stringify(found)}`;
    return new SyntaxError(`not JSON: ${what} at character ${this.#at + 1}`);
  }
}
