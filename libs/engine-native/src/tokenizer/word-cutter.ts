// Cuts SentencePiece text before U+2581 where no merge can reach across, so that words can be looked up one by one.

const mark = '\u2581';

/**
 * A merge makes a token, so one that joins `x` and the mark after it needs a token with `x▁` inside. Where the vocabulary
 * has none, cutting there changes nothing.
 */
export class WordCutter {
  /** By UTF-16 unit: some token has this unit right before a mark. */
  private readonly joins = new Uint8Array(65_536);

  constructor(tokens: Iterable<string>) {
    for (const token of tokens) {
      for (let at = token.indexOf(mark, 1); at > 0; at = token.indexOf(mark, at + 1)) {
        this.joins[token.charCodeAt(at - 1)] = 1;
      }
    }
  }

  cut(text: string, emit: (word: string) => void): void {
    let start = 0;
    for (let at = text.indexOf(mark, 1); at > 0; at = text.indexOf(mark, at + 1)) {
      if (this.joins[text.charCodeAt(at - 1)] === 1) continue;
      emit(text.slice(start, at));
      start = at;
    }
    if (start < text.length) emit(start === 0 ? text : text.slice(start));
  }
}
