// Text to token ids and back. Made by from-tokenizer-json.ts and from-gguf.ts; no state changes after that but caches.

import type { PromptPiece, TokenId } from '@tensorfold/protocol';
import { AddedTokenMatcher, type AddedToken } from './added-tokens.ts';
import { fromByteAlphabet } from './byte-alphabet.ts';
import type { TokenizerModel } from './model.ts';
import type { Normalizer } from './normalizers.ts';
import type { PreTokenizer } from './pre-tokenizers.ts';
import { TemplateRanges } from './template-ranges.ts';
import { byteOfTokenText, isBlank, tokenKind, type Vocabulary } from './vocabulary.ts';

export interface TokenizerParts {
  readonly vocabulary: Vocabulary;
  readonly model: TokenizerModel;
  readonly added: readonly AddedToken[];
  readonly normalizer: Normalizer | null;
  readonly preTokenizer: PreTokenizer;
  /** How token texts stand for bytes: GPT-2's alphabet, or UTF-8 with U+2581 for a blank and `<0xNN>` for a byte. */
  readonly alphabet: 'bytes' | 'sentencepiece';
  /** Decoded text begins with a blank that the encoder put there. */
  readonly stripsLeadingBlank: boolean;
  readonly bosId: TokenId | null;
  /** A prompt begins with `bosId`. */
  readonly addsBos: boolean;
}

export interface EncodeOptions {
  /**
   * Which added tokens are recognised: all; those not marked special; or none, which is how a caller's text is read.
   * Runs of blanks that are added tokens (Gemma) always are: they are text like any other.
   */
  readonly addedTokens?: 'all' | 'not-special' | 'none';
}

export class Tokenizer {
  readonly bosId: TokenId | null;
  readonly addsBos: boolean;
  readonly stripsLeadingBlank: boolean;
  readonly numTokens: number;
  private readonly parts: TokenizerParts;
  private readonly rawMatcher: AddedTokenMatcher;
  private readonly normalizedMatcher: AddedTokenMatcher;
  private readonly addedById = new Map<TokenId, AddedToken>();
  private readonly addedByText = new Map<string, AddedToken>();
  /** Special or not blanks only. */
  private readonly markers = new Set<TokenId>();
  private readonly bytesById: (Uint8Array | undefined)[] = [];

  constructor(parts: TokenizerParts) {
    this.parts = parts;
    this.bosId = parts.bosId;
    this.addsBos = parts.addsBos;
    this.stripsLeadingBlank = parts.stripsLeadingBlank;
    this.numTokens = parts.vocabulary.texts.length;
    for (const token of parts.added) {
      this.addedById.set(token.id, token);
      this.addedByText.set(token.content, token);
      if (token.special || !isBlank(token.content)) this.markers.add(token.id);
    }
    const raw = parts.added.filter((token) => !token.normalized);
    const normalized = parts.added.filter((token) => token.normalized);
    const normalize = parts.normalizer ?? ((text: string) => text);
    this.rawMatcher = new AddedTokenMatcher(
      raw,
      raw.map((token) => token.content),
    );
    this.normalizedMatcher = new AddedTokenMatcher(
      normalized,
      normalized.map((token) => normalize(token.content)),
    );
  }

  /** Ids of one text. Nothing is put in front. Lone surrogates become U+FFFD. */
  encode(text: string, options: EncodeOptions = {}): TokenId[] {
    const which = options.addedTokens ?? 'all';
    const ranges = which === 'none' ? TemplateRanges.none : TemplateRanges.all(text);
    return this.encodeRanges(text, ranges, which === 'not-special');
  }

  /**
   * Ids of a prompt. Added tokens are recognised within runs of template text only: caller text never becomes a marker,
   * nor part of one. Otherwise borders between pieces do not exist: harmless caller text gives the ids of the whole text.
   * Begins with the beginning-of-text token where the checkpoint wants one.
   */
  encodePieces(pieces: readonly PromptPiece[], options: { readonly addBos?: boolean } = {}): TokenId[] {
    const text = pieces.map((piece) => piece.text).join('');
    const ids = this.encodeRanges(text, TemplateRanges.of(pieces), false);
    const addsBos = (options.addBos ?? this.addsBos) && this.bosId !== null;
    if (addsBos && ids[0] !== this.bosId) ids.unshift(this.bosId!);
    return ids;
  }

  /** Text of ids; bytes that are not UTF-8 become U+FFFD. Ids without a token give nothing. */
  decode(ids: readonly TokenId[], options: { readonly skipSpecial?: boolean } = {}): string {
    const chunks: Uint8Array[] = [];
    for (const id of ids) if (options.skipSpecial !== true || !this.isControl(id)) chunks.push(this.tokenBytes(id));
    const text = utf8.decode(Buffer.concat(chunks));
    return this.stripsLeadingBlank && text.startsWith(' ') ? text.slice(1) : text;
  }

  /** The bytes a token adds to the text; its literal text for added tokens. Alone they may be no valid UTF-8. */
  tokenBytes(id: TokenId): Uint8Array {
    let bytes = this.bytesById[id];
    if (bytes === undefined) {
      bytes = this.computeBytes(id);
      this.bytesById[id] = bytes;
    }
    return bytes;
  }

  /** The id of an added or control token by its text, or null. */
  tokenId(text: string): TokenId | null {
    return this.addedByText.get(text)?.id ?? null;
  }

  /** The text of an added or control token, or null. */
  addedText(id: TokenId): string | null {
    return this.addedById.get(id)?.content ?? null;
  }

  /** Control tokens show nothing in a reply. */
  isControl(id: TokenId): boolean {
    return this.addedById.get(id)?.special === true;
  }

  /** Control tokens and markers (`<think>`), not Gemma's runs of blanks: what no caller's text becomes. */
  isAdded(id: TokenId): boolean {
    return this.markers.has(id);
  }

  /** Ids below `vocabSize` that have no token: never to be drawn. */
  unusedIds(vocabSize: number): TokenId[] {
    const { texts, kinds } = this.parts.vocabulary;
    const out: TokenId[] = [];
    for (let id = 0; id < vocabSize; id += 1) {
      if (id >= texts.length || texts[id] === '' || kinds[id] === tokenKind.unused) out.push(id);
    }
    return out;
  }

  private encodeRanges(given: string, ranges: TemplateRanges, skipsSpecial: boolean): TokenId[] {
    const text = wellFormed(given);
    const out: TokenId[] = [];
    const allows = (token: AddedToken, start: number, end: number): boolean => {
      if (!this.markers.has(token.id)) return true;
      return !(skipsSpecial && token.special) && ranges.contain(start, end);
    };
    for (const { start, end, token } of this.rawMatcher.segments(text, allows)) {
      if (token !== null) {
        out.push(token.id);
        continue;
      }
      this.encodeStretch(text.slice(start, end), start, ranges, skipsSpecial, out);
    }
    return out;
  }

  /** Text between tokens of the first match set: normalises it and looks for those of the second. */
  private encodeStretch(
    raw: string,
    offset: number,
    ranges: TemplateRanges,
    skipsSpecial: boolean,
    out: TokenId[],
  ): void {
    const { normalizer } = this.parts;
    const text = normalizer === null ? raw : normalizer(raw);
    if (this.normalizedMatcher.isEmpty) {
      this.encodePlain(text, offset === 0, out);
      return;
    }
    const here = ranges.within(offset, raw, text, normalizer);
    const allows = (token: AddedToken, start: number, end: number): boolean => {
      if (!this.markers.has(token.id)) return true;
      return !(skipsSpecial && token.special) && here.contain(start, end);
    };
    for (const { start, end, token } of this.normalizedMatcher.segments(text, allows)) {
      if (token !== null) out.push(token.id);
      else this.encodePlain(text.slice(start, end), offset === 0 && start === 0, out);
    }
  }

  private encodePlain(text: string, first: boolean, out: TokenId[]): void {
    const { model, preTokenizer } = this.parts;
    preTokenizer(text, first, (whole, start, end) => model.encode(whole, start, end, out));
  }

  private computeBytes(id: TokenId): Uint8Array {
    const { vocabulary, alphabet } = this.parts;
    const added = this.addedById.get(id);
    const text = added?.content ?? vocabulary.texts[id] ?? '';
    if (alphabet === 'bytes') return added === undefined ? fromByteAlphabet(text) : encoder.encode(text);
    const byte = added === undefined ? byteOfTokenText(text) : -1;
    return byte >= 0 ? Uint8Array.of(byte) : encoder.encode(text.replaceAll('\u2581', ' '));
  }
}

/** Lone surrogates have no UTF-8 form; each becomes U+FFFD. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
