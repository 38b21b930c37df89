// What bpe.ts and spm.ts give the tokenizer.

export interface TokenizerModel {
  /** Appends the ids of a piece. The text is well-formed UTF-16 and no part of it becomes a marker. */
  encode(piece: string, out: number[]): void;
}
