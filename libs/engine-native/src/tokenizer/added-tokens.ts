// Finds added tokens (control tokens and markers) in text, before anything else looks at it (tokenizer.md, section 2).

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Control: left out of decoded text where that is asked for. */
  readonly special: boolean;
  readonly singleWord: boolean;
  /** The match takes the white space on that side. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Matched in normalised text; else in the text as given. */
  readonly normalized: boolean;
}

/** Part of a text: an added token, or text between them. */
export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly token: AddedToken | null;
}

/** May `token` be recognised at [start, end)? */
export type Allows = (token: AddedToken, start: number, end: number) => boolean;

interface Node {
  readonly children: Map<number, Node>;
  token: AddedToken | null;
}

/** Leftmost first, the longest allowed one where several start together. */
export class AddedTokenMatcher {
  readonly isEmpty: boolean;
  private readonly root: Node = { children: new Map(), token: null };
  /** By UTF-16 unit: some token starts with it. */
  private readonly starts = new Uint8Array(65_536);

  /** `contents[i]` is the text by which `tokens[i]` is found. */
  constructor(tokens: readonly AddedToken[], contents: readonly string[]) {
    this.isEmpty = tokens.length === 0;
    tokens.forEach((token, i) => this.insert(token, contents[i]!));
  }

  /** Cuts `text` into segments; without a match it is one. Empty text gives none. */
  segments(text: string, allows: Allows): Segment[] {
    const out: Segment[] = [];
    let from = 0;
    for (let at = 0; at < text.length;) {
      const match = this.starts[text.charCodeAt(at)] === 1 ? this.matchAt(text, at, allows) : null;
      if (match === null) {
        at += 1;
        continue;
      }
      const { token } = match;
      let start = at;
      let end = match.end;
      if (token.lstrip) while (start > from && isWhite(text[start - 1]!)) start -= 1;
      if (token.rstrip) while (end < text.length && isWhite(text[end]!)) end += 1;
      if (start > from) out.push({ start: from, end: start, token: null });
      out.push({ start, end, token });
      from = end;
      at = end;
    }
    if (from < text.length) out.push({ start: from, end: text.length, token: null });
    return out;
  }

  private matchAt(text: string, start: number, allows: Allows): { token: AddedToken; end: number } | null {
    let best: { token: AddedToken; end: number } | null = null;
    let node = this.root;
    for (let at = start; at < text.length; at += 1) {
      const child = node.children.get(text.charCodeAt(at));
      if (child === undefined) break;
      node = child;
      const { token } = node;
      if (token === null || !allows(token, start, at + 1)) continue;
      if (token.singleWord && touchesWord(text, start, at + 1)) continue;
      best = { token, end: at + 1 };
    }
    return best;
  }

  private insert(token: AddedToken, content: string): void {
    if (content === '') return;
    this.starts[content.charCodeAt(0)] = 1;
    let node = this.root;
    for (let i = 0; i < content.length; i += 1) {
      const unit = content.charCodeAt(i);
      let child = node.children.get(unit);
      if (child === undefined) {
        child = { children: new Map(), token: null };
        node.children.set(unit, child);
      }
      node = child;
    }
    node.token ??= token;
  }
}

function touchesWord(text: string, start: number, end: number): boolean {
  const wordBefore = /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, start - 2), start));
  return wordBefore || /^[\p{L}\p{N}_]/u.test(text.slice(end, end + 2));
}

function isWhite(char: string): boolean {
  return /\s/.test(char);
}
