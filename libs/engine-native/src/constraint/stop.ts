// Stop strings over a reply's text, and the text itself as it may be shown: whole characters, nothing that could still
// become a stop string.

import type { TokenId, TokenPiece } from '@tensorfold/protocol';
import { Detokenizer } from '../tokenizer/detokenizer.ts';
import type { TokenTexts } from '../tokenizer/token-table.ts';

interface Pending {
  id: TokenId | null;
  text: string;
  /** An added token's literal, which is never cut. */
  whole: boolean;
}

/** One reply's text. Feed tokens in order; `release` after each token or batch of them. */
export class ReplyText {
  private readonly stops: readonly string[];
  private readonly texts: TokenTexts | null;
  private readonly detokenizer: Detokenizer | null;
  private readonly pending: Pending[] = [];
  private readonly literalTokens: ReadonlySet<TokenId>;
  /** The stop string that the last token completed, or null. */
  stopString: string | null = null;

  /** `literalTokens`: control tokens whose text is shown (end tokens that the request ignores). */
  constructor(texts: TokenTexts | null, stops: readonly string[], literalTokens: ReadonlySet<TokenId>) {
    this.texts = texts;
    this.stops = stops;
    this.literalTokens = literalTokens;
    this.detokenizer = texts === null ? null : new Detokenizer(texts);
  }

  /** Takes the next token. True where its text completes a stop string: the reply ends with it. */
  push(token: TokenId): boolean {
    if (this.detokenizer === null) {
      this.pending.push({ id: token, text: '', whole: false });
      return false;
    }
    const { flushed, text } = this.detokenizer.push(token);
    if (flushed !== '') this.pending.push({ id: null, text: flushed, whole: false });
    const literal = this.literalTokens.has(token) ? (this.texts?.addedText(token) ?? text) : text;
    this.pending.push({ id: token, text: literal, whole: this.texts?.isAdded(token) ?? false });
    return this.stops.length > 0 && this.findStop();
  }

  /** What may be shown now. `ended`: no token follows, so nothing is held back but what lies behind a stop string. */
  release(ended: boolean): TokenPiece[] {
    if (ended && this.stopString === null) {
      const rest = this.detokenizer?.end() ?? '';
      if (rest !== '') this.pending.push({ id: null, text: rest, whole: false });
      if (rest !== '' && this.findStop()) return this.take(Infinity);
    }
    if (ended || this.stops.length === 0) return this.take(Infinity);
    const text = this.text();
    let held = 0;
    for (const stop of this.stops) held = Math.max(held, pendingLength(text, stop));
    return this.take(text.length - held);
  }

  private text(): string {
    return this.pending.map((piece) => piece.text).join('');
  }

  /** Looks for the earliest stop string, and cuts the text before it. */
  private findStop(): boolean {
    const text = this.text();
    let start = -1;
    for (const stop of this.stops) {
      const at = text.indexOf(stop);
      if (at >= 0 && (start < 0 || at < start)) {
        start = at;
        this.stopString = stop;
      }
    }
    if (start < 0) return false;
    let left = start;
    for (const piece of this.pending) {
      piece.text = piece.text.slice(0, left);
      left -= piece.text.length;
    }
    return true;
  }

  /** The pieces of the first `length` characters; tokens without text go with what stands before them. */
  private take(length: number): TokenPiece[] {
    const taken: TokenPiece[] = [];
    let left = length;
    while (this.pending.length > 0) {
      const piece = this.pending[0]!;
      if (piece.text.length > left) {
        if (piece.whole || left === 0) break;
        taken.push({ id: piece.id, text: piece.text.slice(0, left) });
        piece.id = null;
        piece.text = piece.text.slice(left);
        break;
      }
      left -= piece.text.length;
      taken.push({ id: piece.id, text: piece.text });
      this.pending.shift();
    }
    return taken;
  }
}

/** Length of the longest tail of `text` that could be the start of `marker`. */
export function pendingLength(text: string, marker: string): number {
  for (let length = Math.min(text.length, marker.length - 1); length > 0; length -= 1) {
    if (marker.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
