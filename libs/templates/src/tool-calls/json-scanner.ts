// One JSON value read as its text comes, strictly: every character is either part of a value that can still be whole, or wrong.

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'word';

/** `at`: characters read before; `depth`: objects and arrays around the value. */
export interface JsonListener {
  key?(depth: number, start: number, end: number): void;
  start?(kind: JsonKind, depth: number, at: number): void;
  end?(kind: JsonKind, depth: number, at: number): void;
}

type Expects = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';
type NumberState =
  'minus' | 'zero' | 'integer' | 'point' | 'fraction' | 'exponent' | 'exponent-sign' | 'exponent-digits';

const maxDepth = 512;
const words = ['true', 'false', 'null'];
// oxlint-disable-next-line no-control-regex
const plainText = /[^"\\\u0000-\u001f]+/y;

export class JsonScanner {
  state: 'open' | 'done' | 'broken' = 'open';
  readonly #listener: JsonListener;
  readonly #open: ('object' | 'array')[] = [];
  #expects: Expects = 'value';
  /** The string, number or word being read. */
  #token: 'key' | 'string' | 'number' | 'word' | null = null;
  #tokenStart = 0;
  #word = '';
  #number: NumberState = 'minus';
  /** Characters that an escape still needs: '' none, '\\' the letter, 'u' and so on hex digits. */
  #escape = 0;
  #at = 0;

  constructor(listener: JsonListener) {
    this.#listener = listener;
  }

  get isInsideString(): boolean {
    return this.#token === 'key' || this.#token === 'string';
  }

  /** How many characters it took: all of them, those through the value's end, or those before a wrong one. */
  push(text: string): number {
    let index = 0;
    while (index < text.length && this.state === 'open') {
      if (this.isInsideString && this.#escape === 0) {
        plainText.lastIndex = index;
        const length = plainText.exec(text)?.[0].length ?? 0;
        index += length;
        this.#at += length;
        if (index === text.length) break;
      }
      if (!this.#take(text[index]!)) {
        this.state = 'broken';
        break;
      }
      index += 1;
      this.#at += 1;
      if (this.#open.length === 0 && this.#token === null && this.#expects === 'comma-or-end') this.state = 'done';
    }
    return index;
  }

  #take(character: string): boolean {
    if (this.isInsideString) return this.#takeInString(character);
    if (this.#token === 'word') return this.#takeInWord(character);
    if (this.#token === 'number') {
      const next = nextNumberState(this.#number, character);
      if (next !== null) {
        this.#number = next;
        return true;
      }
      if (!wholeNumbers.has(this.#number)) return false;
      this.#endValue('number', this.#at);
    }
    return /[ \t\n\r]/.test(character) || this.#takeMarkup(character);
  }

  #takeMarkup(character: string): boolean {
    switch (this.#expects) {
      case 'value':
        return this.#startValue(character);
      case 'value-or-end':
        return character === ']' ? this.#close('array') : this.#startValue(character);
      case 'key':
      case 'key-or-end':
        if (character === '}') return this.#expects === 'key-or-end' && this.#close('object');
        return character === '"' && this.#startToken('key');
      case 'colon':
        this.#expects = 'value';
        return character === ':';
      case 'comma-or-end':
        if (character === ',') {
          this.#expects = this.#open.at(-1) === 'object' ? 'key' : 'value';
          return this.#open.length > 0;
        }
        return character === '}' ? this.#close('object') : character === ']' && this.#close('array');
    }
  }

  #startValue(character: string): boolean {
    const kind = kindOf(character);
    if (kind === null) return false;
    this.#listener.start?.(kind, this.#open.length, this.#at);
    if (kind === 'object' || kind === 'array') {
      this.#open.push(kind);
      this.#expects = kind === 'object' ? 'key-or-end' : 'value-or-end';
      return this.#open.length <= maxDepth;
    }
    if (kind === 'number') this.#number = nextNumberState(null, character)!;
    this.#word = character;
    return this.#startToken(kind);
  }

  #startToken(token: 'key' | 'string' | 'number' | 'word'): true {
    this.#token = token;
    this.#tokenStart = this.#at;
    return true;
  }

  #close(kind: 'object' | 'array'): boolean {
    if (this.#open.at(-1) !== kind) return false;
    this.#open.pop();
    this.#endValue(kind, this.#at + 1);
    return true;
  }

  #endValue(kind: JsonKind, at: number): void {
    this.#token = null;
    this.#expects = 'comma-or-end';
    this.#listener.end?.(kind, this.#open.length, at);
  }

  #takeInString(character: string): boolean {
    if (this.#escape > 1) {
      this.#escape -= 1;
      if (this.#escape === 1) this.#escape = 0;
      return /[0-9a-fA-F]/.test(character);
    }
    if (this.#escape === 1) {
      // Four hex digits and the count's own end.
      this.#escape = character === 'u' ? 5 : 0;
      return /["\\/bfnrtu]/.test(character);
    }
    if (character === '\\') this.#escape = 1;
    else if (character !== '"') return false;
    else if (this.#token === 'string') this.#endValue('string', this.#at + 1);
    else {
      this.#token = null;
      this.#expects = 'colon';
      this.#listener.key?.(this.#open.length, this.#tokenStart, this.#at + 1);
    }
    return true;
  }

  #takeInWord(character: string): boolean {
    this.#word += character;
    if (words.includes(this.#word)) this.#endValue('word', this.#at + 1);
    return words.some((word) => word.startsWith(this.#word));
  }
}

function kindOf(character: string): JsonKind | null {
  if (character === '{') return 'object';
  if (character === '[') return 'array';
  if (character === '"') return 'string';
  if (/[-0-9]/.test(character)) return 'number';
  return /[tfn]/.test(character) ? 'word' : null;
}

const wholeNumbers: ReadonlySet<NumberState> = new Set(['zero', 'integer', 'fraction', 'exponent-digits']);

function nextNumberState(state: NumberState | null, character: string): NumberState | null {
  const isDigit = character >= '0' && character <= '9';
  switch (state) {
    case null:
      if (character === '-') return 'minus';
      return character === '0' ? 'zero' : 'integer';
    case 'minus':
      if (character === '0') return 'zero';
      return isDigit ? 'integer' : null;
    case 'zero':
    case 'integer':
      if (character === '.') return 'point';
      if (character === 'e' || character === 'E') return 'exponent';
      return state === 'integer' && isDigit ? 'integer' : null;
    case 'point':
      return isDigit ? 'fraction' : null;
    case 'fraction':
      if (character === 'e' || character === 'E') return 'exponent';
      return isDigit ? 'fraction' : null;
    case 'exponent':
      if (character === '-' || character === '+') return 'exponent-sign';
      return isDigit ? 'exponent-digits' : null;
    case 'exponent-sign':
    case 'exponent-digits':
      return isDigit ? 'exponent-digits' : null;
  }
}
