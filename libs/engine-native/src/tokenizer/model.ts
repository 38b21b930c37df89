// What bpe.ts and spm.ts give the tokenizer.

export interface TokenizerModel {
  /** Appends the ids of text[start, end). The text is well-formed UTF-16 and no part of it becomes a marker. */
  encode(text: string, start: number, end: number, out: number[]): void;
}
