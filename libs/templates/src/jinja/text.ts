// Text that remembers which of its characters a caller sent. Every string of a template is one; the operations are Python's.
// Indices here are UTF-16 offsets; evaluate.ts turns Python's code-point indices into them.

export interface Segment {
  readonly text: string;
  readonly caller: boolean;
}

export class Text {
  static readonly empty = new Text([]);
  /** Neighbours differ in `caller`; none is ''. */
  readonly segments: readonly Segment[];
  #value: string | undefined;

  private constructor(segments: readonly Segment[]) {
    this.segments = segments;
  }

  static template(text: string): Text {
    return text === '' ? Text.empty : new Text([{ text, caller: false }]);
  }

  static caller(text: string): Text {
    return text === '' ? Text.empty : new Text([{ text, caller: true }]);
  }

  static concat(parts: Iterable<Text>): Text {
    const segments: Segment[] = [];
    let run: string[] = [];
    let caller = false;
    const close = () => {
      if (run.length > 0) segments.push({ text: run.length === 1 ? run[0]! : run.join(''), caller });
      run = [];
    };
    for (const part of parts) {
      for (const segment of part.segments) {
        if (segment.caller !== caller) close();
        caller = segment.caller;
        run.push(segment.text);
      }
    }
    close();
    return new Text(segments);
  }

  get value(): string {
    this.#value ??=
      this.segments.length === 1 ? this.segments[0]!.text : this.segments.map(({ text }) => text).join('');
    return this.#value;
  }

  get hasCaller(): boolean {
    return this.segments.some(({ caller }) => caller);
  }

  slice(start: number, end: number): Text {
    if (start >= end) return Text.empty;
    if (start === 0 && end >= this.value.length) return this;
    const segments: Segment[] = [];
    let offset = 0;
    for (const { text, caller } of this.segments) {
      const from = Math.max(start - offset, 0);
      const to = Math.min(end - offset, text.length);
      if (from < to) segments.push({ text: text.slice(from, to), caller });
      offset += text.length;
    }
    return new Text(segments);
  }

  /** The whole text through `change`. What it writes for mixed text is the caller's, unless each part changes by itself. */
  map(change: (text: string) => string): Text {
    const whole = change(this.value);
    const parts = this.segments.map(({ text, caller }) => ({ text: change(text), caller }));
    if (parts.map(({ text }) => text).join('') !== whole) return Text.caller(whole);
    return new Text(parts.filter(({ text }) => text !== ''));
  }

  /** Python's strip: whitespace, or any of the characters given. */
  strip(sides: 'both' | 'left' | 'right', characters?: string): Text {
    const isStripped = characters === undefined ? isSpace : (character: string) => characters.includes(character);
    const { value } = this;
    let start = 0;
    let end = value.length;
    if (sides !== 'right') while (start < end && isStripped(value[start]!)) start += 1;
    if (sides !== 'left') while (end > start && isStripped(value[end - 1]!)) end -= 1;
    return this.slice(start, end);
  }

  /** Python's split; `separator` null splits at runs of whitespace. */
  split(separator: string | null, limit = -1): Text[] {
    return separator === null ? this.#splitAtSpace(limit) : this.#splitAt(separator, limit);
  }

  rsplit(separator: string, limit: number): Text[] {
    const { value } = this;
    const parts: Text[] = [];
    let end = value.length;
    while (limit < 0 || parts.length < limit) {
      const at = end < separator.length ? -1 : value.lastIndexOf(separator, end - separator.length);
      if (at < 0) break;
      parts.unshift(this.slice(at + separator.length, end));
      end = at;
    }
    parts.unshift(this.slice(0, end));
    return parts;
  }

  /** Python's rsplit without a separator. */
  rsplitAtSpace(limit: number): Text[] {
    const words = this.#splitAtSpace(-1);
    if (limit < 0 || words.length <= limit) return words;
    let rest = this.strip('right');
    const kept: Text[] = [];
    for (const word of words.slice(words.length - limit).reverse()) {
      kept.unshift(word);
      rest = rest.slice(0, rest.value.length - word.value.length).strip('right');
    }
    return [rest, ...kept];
  }

  /** Python's replace; `limit` < 0 replaces all. */
  replace(old: string, replacement: Text, limit = -1): Text {
    if (old === '') {
      const characters = [...this.value];
      const parts: Text[] = [];
      let offset = 0;
      characters.forEach((character, index) => {
        if (limit < 0 || index < limit) parts.push(replacement);
        parts.push(this.slice(offset, offset + character.length));
        offset += character.length;
      });
      if (limit < 0 || characters.length < limit) parts.push(replacement);
      return Text.concat(parts);
    }
    const kept = this.#splitAt(old, limit);
    return Text.concat(kept.flatMap((part, index) => (index === 0 ? [part] : [replacement, part])));
  }

  #splitAt(separator: string, limit: number): Text[] {
    const { value } = this;
    const parts: Text[] = [];
    let start = 0;
    while (limit < 0 || parts.length < limit) {
      const at = value.indexOf(separator, start);
      if (at < 0) break;
      parts.push(this.slice(start, at));
      start = at + separator.length;
    }
    parts.push(this.slice(start, value.length));
    return parts;
  }

  #splitAtSpace(limit: number): Text[] {
    const { value } = this;
    const parts: Text[] = [];
    let at = 0;
    for (;;) {
      while (at < value.length && isSpace(value[at]!)) at += 1;
      if (at >= value.length) return parts;
      if (limit >= 0 && parts.length >= limit) return [...parts, this.slice(at, value.length)];
      const start = at;
      while (at < value.length && !isSpace(value[at]!)) at += 1;
      parts.push(this.slice(start, at));
    }
  }
}

// oxlint-disable-next-line no-control-regex
const spaces = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;

/** Python's idea of whitespace: unlike JavaScript's, no byte order mark, but the four separators and U+0085. */
export function isSpace(character: string): boolean {
  return spaces.test(character);
}
