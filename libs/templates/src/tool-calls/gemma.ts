// Gemma 4: <|tool_call>call:NAME{key:<|"|>text<|"|>,n:1,list:[..],obj:{..}}<tool_call|>. Keys are bare, strings stand between
// quote tokens. The notation becomes JSON as it is read.

import type { CallEvent, CallReader, CallSyntax } from './syntax.ts';
import { escapedJson } from './typed-value.ts';

const quote = '<|"|>';

export const gemma: CallSyntax = {
  name: 'gemma',
  opener: '<|tool_call>',
  closer: '<tool_call|>',
  inner: [quote],
  bare: false,
  createReader: () => new GemmaCall(),
};

const headStart = 'call:';

class GemmaCall implements CallReader {
  state: CallReader['state'] = 'open';
  #expects: 'head' | 'key' | 'key-or-end' | 'colon' | 'value' | 'value-or-end' | 'comma-or-end' | 'nothing' = 'head';
  readonly #open: ('{' | '[')[] = [];
  /** What stands between quote tokens, if any. */
  #quoted: 'key' | 'value' | null = null;
  /** The head, bare key or bare word so far. */
  #word = '';
  #json = '';
  #at = 0;

  get isInsideText(): boolean {
    return this.#quoted !== null;
  }

  push(text: string, isMarker: boolean): CallEvent[] {
    const events: CallEvent[] = [];
    if (isMarker && text === quote) this.#takeQuote();
    else if (this.#quoted !== null) this.#takeQuoted(text);
    else for (const character of text) if (this.state === 'open') this.#take(character, events);
    this.#tell(events);
    return events;
  }

  close(): CallEvent[] {
    if (this.#expects !== 'nothing') this.state = 'broken';
    return [];
  }

  #tell(events: CallEvent[]): void {
    if (this.#json !== '') events.push({ type: 'arguments', text: this.#json, at: this.#at });
    this.#json = '';
  }

  #takeQuote(): void {
    this.#at += quote.length;
    if (this.#quoted === 'key') this.#expects = 'colon';
    if (this.#quoted === 'value') {
      this.#json += '"';
      this.#expects = 'comma-or-end';
    }
    if (this.#quoted !== null) this.#quoted = null;
    else if (this.#word.trim() !== '') this.state = 'broken';
    else if (this.#expects === 'key' || this.#expects === 'key-or-end') this.#quoted = 'key';
    else if (this.#expects === 'value' || this.#expects === 'value-or-end') {
      this.#quoted = 'value';
      this.#json += '"';
    } else this.state = 'broken';
  }

  #takeQuoted(text: string): void {
    this.#at += text.length;
    if (this.#quoted === 'key') this.#word += text;
    else this.#json += escapedJson(text);
  }

  #take(character: string, events: CallEvent[]): void {
    const isTaken = this.#takeMarkup(character, events);
    if (isTaken) this.#at += character.length;
    if (isTaken && this.#expects === 'nothing' && this.#open.length === 0 && character === '}') {
      this.#tell(events);
      events.push({ type: 'end', at: this.#at });
    }
  }

  #takeMarkup(character: string, events: CallEvent[]): boolean {
    switch (this.#expects) {
      case 'head':
        return this.#takeHead(character, events);
      case 'key':
      case 'key-or-end':
        if (character === '}' && this.#word.trim() === '' && this.#expects === 'key-or-end') return this.#close('{');
        if (/[,{}[\]]/.test(character)) return this.#break();
        if (character === ':') return this.#word.trim() === '' ? this.#break() : this.#endKey();
        this.#word += character;
        return true;
      case 'colon':
        if (/\s/.test(character)) return true;
        return character === ':' ? this.#endKey() : this.#break();
      case 'value':
      case 'value-or-end':
        return this.#takeValue(character);
      case 'comma-or-end':
        if (/\s/.test(character)) return true;
        return this.#takeEnd(character);
      case 'nothing':
        if (!/\s/.test(character)) this.state = 'over';
        return this.state === 'open';
    }
  }

  #takeHead(character: string, events: CallEvent[]): boolean {
    if (character === '{') {
      const name = /^\s*call:([^{\s]+)\s*$/.exec(this.#word)?.[1];
      if (name === undefined) return this.#break();
      events.push({ type: 'name', name, at: this.#at });
      this.#word = '';
      return this.#start('{');
    }
    this.#word += character;
    const head = this.#word.trimStart();
    return headStart.startsWith(head) || head.startsWith(headStart) || this.#break();
  }

  #takeValue(character: string): boolean {
    const isBlank = this.#word.trim() === '';
    if (isBlank && /\s/.test(character)) return true;
    if (isBlank && (character === '{' || character === '[')) return this.#start(character);
    if (isBlank && character === ']' && this.#expects === 'value-or-end') return this.#close('[');
    if (!/[,{}[\]]/.test(character)) {
      this.#word += character;
      return true;
    }
    if (isBlank) return this.#break();
    this.#json += jsonOfWord(this.#word.trim());
    this.#word = '';
    return this.#takeEnd(character);
  }

  #takeEnd(character: string): boolean {
    if (character === ',') {
      this.#json += ',';
      this.#expects = this.#open.at(-1) === '{' ? 'key' : 'value';
      return true;
    }
    if (character === '}') return this.#close('{');
    return character === ']' ? this.#close('[') : this.#break();
  }

  #start(bracket: '{' | '['): true {
    this.#open.push(bracket);
    this.#json += bracket;
    this.#expects = bracket === '{' ? 'key-or-end' : 'value-or-end';
    return true;
  }

  #close(bracket: '{' | '['): boolean {
    if (this.#open.at(-1) !== bracket) return this.#break();
    this.#open.pop();
    this.#word = '';
    this.#json += bracket === '{' ? '}' : ']';
    this.#expects = this.#open.length === 0 ? 'nothing' : 'comma-or-end';
    return true;
  }

  #endKey(): true {
    this.#json += `${JSON.stringify(this.#word.trim())}:`;
    this.#word = '';
    this.#expects = 'value';
    return true;
  }

  #break(): false {
    this.state = 'broken';
    return false;
  }
}

function jsonOfWord(word: string): string {
  if (/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(word)) return word;
  if (word === 'None') return 'null';
  if (word === 'True' || word === 'False') return word.toLowerCase();
  return JSON.stringify(word);
}
