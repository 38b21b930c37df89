// Byte-pair encoding by merge ranks: over bytes (GPT-2 and after) and over characters with byte fallback (Gemma, Llama 2).

import { byteChars, toByteAlphabet } from './byte-alphabet.ts';
import { mergeSymbols, PairTable } from './merge.ts';
import type { TokenizerModel } from './model.ts';
import { PieceCache } from './piece-cache.ts';
import { byteTokenIds, plainIds, type Vocabulary } from './vocabulary.ts';
import { WordCutter } from './word-cutter.ts';

/** `merges`: "LEFT RIGHT" (split at the first blank at index 1 or later) or [LEFT, RIGHT], best first. */
export type Merges = readonly (string | readonly [string, string])[];

/**
 * Byte-level BPE. `ignoreMerges`: a piece that is a token is that token, reachable by merges or not.
 * A byte without a token (SmolLM2 lacks a few control characters) is left out.
 */
export function byteLevelBpe(vocabulary: Vocabulary, merges: Merges, ignoreMerges: boolean): TokenizerModel {
  const symbols = new SymbolTable(plainIds(vocabulary), merges);
  const byteIds = Int32Array.from(byteChars, (char) => symbols.ids.get(char) ?? noSymbol);
  const utf8 = new TextEncoder();
  const cache = new PieceCache();
  const encodePiece = (piece: string): number[] => {
    let list = scratchFor(piece.length);
    let length = asciiSymbols(piece, byteIds, list);
    if (length < 0) {
      const bytes = utf8.encode(piece);
      list = scratchFor(bytes.length);
      length = bytes.length;
      for (let i = 0; i < length; i += 1) list[i] = byteIds[bytes[i]!]!;
    }
    const out: number[] = [];
    const count = symbols.merge(list, length, out);
    if (!ignoreMerges || count === 1) return out;
    const whole = symbols.ids.get(toByteAlphabet(piece));
    return whole === undefined ? out : [whole];
  };
  return { encode: (text, start, end, out) => cache.append(text, start, end, out, encodePiece) };
}

/** Symbols of ASCII text without the encoder's call, which costs more than a word; -1 where the text is not ASCII. */
function asciiSymbols(text: string, byteIds: Int32Array, symbols: Int32Array): number {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return -1;
    symbols[i] = byteIds[unit]!;
  }
  return text.length;
}

const scratch = new Int32Array(256);

/** Room for one piece's symbols, taken again by the next. */
function scratchFor(length: number): Int32Array {
  return length <= scratch.length ? scratch : new Int32Array(length);
}

export interface CharBpeOptions {
  readonly byteFallback: boolean;
  /** For a character that is no token and has no bytes to fall back to; null leaves it out. */
  readonly unknownId: number | null;
  /** Neighbouring unknown characters give one unknown token. */
  readonly fuseUnknown: boolean;
  readonly ignoreMerges: boolean;
}

/** BPE over characters: tokenizer.json of SentencePiece vocabularies. */
export function charBpe(vocabulary: Vocabulary, merges: Merges, options: CharBpeOptions): TokenizerModel {
  const symbols = new SymbolTable(plainIds(vocabulary), merges);
  const byteIds = byteTokenIds(symbols.ids);
  const utf8 = new TextEncoder();
  const cache = new PieceCache();
  const cutter = new WordCutter(symbols.ids.keys());

  const initial = (piece: string): { list: Int32Array; length: number } => {
    const list = scratchFor(piece.length * 3);
    let length = 0;
    let lastUnknown = false;
    for (const char of piece) {
      const id = symbols.charId(char);
      const wasUnknown = lastUnknown;
      lastUnknown = false;
      if (id !== undefined) {
        list[length++] = id;
        continue;
      }
      const bytes = utf8.encode(char);
      if (options.byteFallback && bytes.every((byte) => byteIds[byte]! >= 0)) {
        for (const byte of bytes) list[length++] = byteIds[byte]!;
        continue;
      }
      lastUnknown = true;
      if (options.unknownId === null || (wasUnknown && options.fuseUnknown)) continue;
      list[length++] = options.unknownId;
    }
    return { list, length };
  };

  const encodeWord = (word: string): number[] => {
    if (options.ignoreMerges) {
      const whole = symbols.ids.get(word);
      if (whole !== undefined) return [whole];
    }
    const { list, length } = initial(word);
    const out: number[] = [];
    symbols.merge(list, length, out);
    return out;
  };
  const encodeAt = (text: string, start: number, end: number, out: number[]): void =>
    cache.append(text, start, end, out, encodeWord);
  if (options.ignoreMerges) return { encode: encodeAt };
  return {
    encode: (text, start, end, out) => cutter.cut(text, start, end, (from, to) => encodeAt(text, from, to, out)),
  };
}

/** Stands for a byte without a token: merges with nothing. */
const noSymbol = -1;
const notLookedUp = -2;

/**
 * Symbols are token ids; a merge may also make a text that is no token on the way to one that is. Such texts get ids
 * past the vocabulary, and fall apart into characters where they stay.
 */
class SymbolTable {
  readonly ids: ReadonlyMap<string, number>;
  private readonly pairs: PairTable;
  private readonly passing = new Map<string, number>();
  private readonly passingTexts: string[] = [];
  private readonly firstPassing: number;
  /** By UTF-16 unit, filled as characters are met. */
  private readonly unitIds = new Int32Array(65_536).fill(notLookedUp);

  constructor(ids: ReadonlyMap<string, number>, merges: Merges) {
    this.ids = ids;
    let largest = -1;
    for (const id of ids.values()) if (id > largest) largest = id;
    this.firstPassing = largest + 1;
    this.pairs = new PairTable(merges.length);
    for (let rank = 0; rank < merges.length; rank += 1) this.addMerge(merges[rank]!, rank);
  }

  /** The id of a character that is a token. */
  charId(char: string): number | undefined {
    if (char.length > 1) return this.ids.get(char);
    const unit = char.charCodeAt(0);
    let id = this.unitIds[unit]!;
    if (id === notLookedUp) {
      id = this.ids.get(char) ?? noSymbol;
      this.unitIds[unit] = id;
    }
    return id === noSymbol ? undefined : id;
  }

  /** Merges `list[0, length)`, appends the ids and returns the number of symbols left. */
  merge(list: Int32Array, length: number, out: number[]): number {
    const count = mergeSymbols(list, length, this.pairs);
    for (let i = 0; i < count; i += 1) {
      const symbol = list[i]!;
      if (symbol === noSymbol) continue;
      if (symbol < this.firstPassing) out.push(symbol);
      else for (const char of this.passingTexts[symbol - this.firstPassing]!) out.push(this.ids.get(char)!);
    }
    return count;
  }

  private addMerge(merge: string | readonly [string, string], rank: number): void {
    let left: string;
    let right: string;
    if (typeof merge === 'string') {
      const blank = merge.indexOf(' ', 1);
      if (blank < 0) throw new Error(`merge ${rank} is not two texts: ${JSON.stringify(merge)}`);
      left = merge.slice(0, blank);
      right = merge.slice(blank + 1);
    } else {
      [left, right] = merge;
    }
    this.pairs.add(this.symbol(left), this.symbol(right), rank, this.symbol(left + right));
  }

  private symbol(text: string): number {
    const known = this.ids.get(text) ?? this.passing.get(text);
    if (known !== undefined) return known;
    const symbol = this.firstPassing + this.passingTexts.length;
    this.passing.set(text, symbol);
    this.passingTexts.push(text);
    return symbol;
  }
}
