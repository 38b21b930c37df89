// Gemma 4: <|tool_call>call:NAME{key:<|"|>text<|"|>,n:1,list:[..],obj:{..}}<tool_call|>. Keys are bare, strings stand between quote tokens.

import { type CallSyntax, insideOf } from './syntax.ts';

const opener = '<|tool_call>';
const closer = '<tool_call|>';
const quote = '<|"|>';

export const gemma: CallSyntax = {
  name: 'gemma',
  opener,
  closer,
  inner: [quote],
  bare: false,
  closesEach: false,
  read(block) {
    const match = /^\s*call:([^{\s]+)\s*(\{[^]*\})\s*$/.exec(insideOf(block, opener, closer));
    if (match === null) return null;
    const argumentsText = new Notation(match[2]!).readWhole();
    return argumentsText === null ? null : [{ type: 'call', name: match[1]!, argumentsText, source: block }];
  },
  endsInsideText: (block) => block.split(quote).length % 2 === 0,
};

/** The compact notation to JSON text. */
class Notation {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readWhole(): string | null {
    try {
      const json = this.#readObject();
      this.#skip();
      return this.#at === this.#text.length ? json : null;
    } catch {
      return null;
    }
  }

  #readValue(): string {
    this.#skip();
    if (this.#text.startsWith(quote, this.#at)) return JSON.stringify(this.#readQuoted());
    if (this.#text[this.#at] === '{') return this.#readObject();
    if (this.#text[this.#at] === '[') return this.#readList();
    const word = this.#match(/[^,{}[\]]+/y).trim();
    if (/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(word)) return word;
    if (word === 'None') return 'null';
    if (word === 'True' || word === 'False') return word.toLowerCase();
    return JSON.stringify(word);
  }

  #readObject(): string {
    this.#expect('{');
    const members = new Map<string, string>();
    if (this.#take('}')) return '{}';
    do {
      this.#skip();
      const isQuoted = this.#text.startsWith(quote, this.#at);
      const key = isQuoted ? this.#readQuoted() : this.#match(/[^:,{}[\]]+/y).trim();
      this.#expect(':');
      members.set(key, this.#readValue());
    } while (this.#take(','));
    this.#expect('}');
    return `{${[...members].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
  }

  #readList(): string {
    this.#expect('[');
    const items: string[] = [];
    if (this.#take(']')) return '[]';
    do items.push(this.#readValue());
    while (this.#take(','));
    this.#expect(']');
    return `[${items.join(',')}]`;
  }

  #readQuoted(): string {
    const start = this.#at + quote.length;
    const end = this.#text.indexOf(quote, start);
    if (end < 0) throw new SyntaxError('a string is not closed');
    this.#at = end + quote.length;
    return this.#text.slice(start, end);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) throw new SyntaxError('nothing to read');
    this.#at = pattern.lastIndex;
    return match[0];
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #take(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw new SyntaxError(`expected ${character}`);
  }
}
