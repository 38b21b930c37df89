// Cuts SentencePiece text at blanks and line ends where no merge can reach across, so that words can be looked up.

const mark = '\u2581';
const markCode = mark.charCodeAt(0);
const newlineCode = 0x0a;

const beforeMark = 1;
const beforeNewline = 2;
const afterNewline = 4;

/**
 * A merge makes a token, so one that joins `x` and the mark after it needs a token with `x▁` inside. Where the vocabulary
 * has none, cutting there changes nothing. The same holds on both sides of a line end.
 */
export class WordCutter {
  /** By UTF-16 unit: on which sides of a mark or line end some token has it. */
  private readonly joins = new Uint8Array(65_536);

  constructor(tokens: Iterable<string>) {
    for (const token of tokens) {
      for (let at = 1; at < token.length; at += 1) {
        const left = token.charCodeAt(at - 1);
        const right = token.charCodeAt(at);
        if (right === markCode) this.joins[left]! |= beforeMark;
        if (right === newlineCode) this.joins[left]! |= beforeNewline;
        if (left === newlineCode) this.joins[right]! |= afterNewline;
      }
    }
  }

  /** Calls `emit` with the offsets of each word of text[start, end). */
  cut(text: string, start: number, end: number, emit: (start: number, end: number) => void): void {
    if (start >= end) return;
    let from = start;
    let left = text.charCodeAt(start);
    for (let at = start + 1; at < end; at += 1) {
      const right = text.charCodeAt(at);
      const isCut =
        (right === markCode && (this.joins[left]! & beforeMark) === 0) ||
        (right === newlineCode && (this.joins[left]! & beforeNewline) === 0) ||
        (left === newlineCode && (this.joins[right]! & afterNewline) === 0);
      if (isCut) {
        emit(from, at);
        from = at;
      }
      left = right;
    }
    emit(from, end);
  }
}
