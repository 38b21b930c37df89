// SentencePiece BPE by scores, as GGUF's model `llama` has it: the neighbours whose join is the best-scored token first.

import { mergeSymbols, type Pairs } from './merge.ts';
import type { TokenizerModel } from './model.ts';
import { PieceCache } from './piece-cache.ts';
import { byteTokenIds, plainIds, type Vocabulary } from './vocabulary.ts';
import { WordCutter } from './word-cutter.ts';

/** `scores` by id; equal scores go left to right. `unknownId` stands for bytes without a token; null leaves them out. */
export function scoredSpm(vocabulary: Vocabulary, scores: Float32Array, unknownId: number | null): TokenizerModel {
  const ids = plainIds(vocabulary);
  const joins = new ScoredJoins(ids, vocabulary.texts.length, scores);
  const byteIds = byteTokenIds(ids);
  const utf8 = new TextEncoder();
  const cache = new PieceCache();
  const cutter = new WordCutter(ids.keys());
  const pushBytes = (text: string, out: number[]): void => {
    for (const byte of utf8.encode(text)) {
      const id = byteIds[byte]! >= 0 ? byteIds[byte]! : unknownId;
      if (id !== null) out.push(id);
    }
  };
  const encodeWord = (word: string): number[] => {
    const chars = Array.from(word);
    const symbols = new Int32Array(chars.length);
    // Symbols that are no token are numbered in the order they stand in: they merge with none, so the order stays.
    const strangers: string[] = [];
    for (let i = 0; i < chars.length; i += 1) {
      const symbol = joins.symbol(chars[i]!);
      symbols[i] = symbol;
      if (symbol < 0) strangers.push(chars[i]!);
    }
    const count = mergeSymbols(symbols, symbols.length, joins);
    const out: number[] = [];
    let numStrangers = 0;
    for (let i = 0; i < count; i += 1) {
      const symbol = symbols[i]!;
      if (symbol < 0) pushBytes(strangers[numStrangers++]!, out);
      else if (symbol < joins.numTokens) out.push(symbol);
      else pushBytes(joins.text(symbol), out);
    }
    return out;
  };
  return {
    encode: (text, start, end, out) =>
      cutter.cut(text, start, end, (from, to) => cache.append(text, from, to, out, encodeWord)),
  };
}

/** Pairs looked up by their text. Characters that stand in tokens but are none themselves get ids past the vocabulary. */
class ScoredJoins implements Pairs {
  readonly ranks: Int32Array;
  readonly results: Int32Array;
  readonly numTokens: number;
  private readonly ids: ReadonlyMap<string, number>;
  private readonly texts: string[];
  private readonly parts = new Map<string, number>();

  constructor(ids: ReadonlyMap<string, number>, numTokens: number, scores: Float32Array) {
    this.ids = ids;
    this.numTokens = numTokens;
    this.texts = Array.from({ length: numTokens }, () => '');
    for (const [text, id] of ids) this.texts[id] = text;
    this.ranks = scoreRanks(numTokens, scores);
    this.results = Int32Array.from({ length: numTokens }, (_, id) => id);
    for (const text of ids.keys()) {
      for (const char of text) {
        if (ids.has(char) || this.parts.has(char)) continue;
        this.parts.set(char, this.texts.length);
        this.texts.push(char);
      }
    }
  }

  /** -1 for a character that no token holds. */
  symbol(char: string): number {
    return this.ids.get(char) ?? this.parts.get(char) ?? -1;
  }

  text(symbol: number): string {
    return this.texts[symbol]!;
  }

  find(left: number, right: number): number {
    if (left < 0 || right < 0) return -1;
    return this.ids.get(this.texts[left]! + this.texts[right]!) ?? -1;
  }
}

/** Rank by score, best 0; equal scores share a rank. */
function scoreRanks(numTokens: number, scores: Float32Array): Int32Array {
  const distinct = Float32Array.from(new Set(scores)).sort().reverse();
  const rankOf = new Map<number, number>();
  distinct.forEach((score, rank) => rankOf.set(score, rank));
  return Int32Array.from({ length: numTokens }, (_, id) => rankOf.get(scores[id] ?? 0) ?? distinct.length);
}
