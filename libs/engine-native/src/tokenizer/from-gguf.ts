// A tokenizer from a GGUF file's metadata (tokenizer.ggml.*).

import type { GgufValue } from '../checkpoint/gguf.ts';
import type { AddedToken } from './added-tokens.ts';
import { byteLevelBpe } from './bpe.ts';
import { preTokenizerByName } from './pre-tokenizers.ts';
import { scoredSpm } from './spm.ts';
import { Tokenizer } from './tokenizer.ts';
import { isMarkerKind, tokenKind, type Vocabulary } from './vocabulary.ts';

type Metadata = ReadonlyMap<string, GgufValue>;

/** Pre-tokenizers whose models begin a text with a token of their own, and take a piece that is a token whole. */
const llama3Like = new Set(['llama-bpe', 'llama3', 'llama-v3', 'pixtral']);

/** null where the file has no tokenizer. Throws an Error that names what is not supported or missing. */
export function tokenizerFromGguf(metadata: Metadata): Tokenizer | null {
  const kind = metadata.get('tokenizer.ggml.model');
  if (kind === undefined || kind === 'none') return null;
  const vocabulary = vocabularyOf(metadata);
  if (kind === 'gpt2') return byteLevelTokenizer(metadata, vocabulary);
  if (kind === 'llama') return sentencePieceTokenizer(metadata, vocabulary);
  throw new Error(`tokenizer.ggml.model "${String(kind)}" is not supported; supported: gpt2, llama`);
}

function byteLevelTokenizer(metadata: Metadata, vocabulary: Vocabulary): Tokenizer {
  const pre = metadata.get('tokenizer.ggml.pre');
  if (typeof pre !== 'string') {
    throw new Error('tokenizer.ggml.pre is missing: the file does not say how text is cut; convert the model again');
  }
  const merges = strings(metadata, 'tokenizer.ggml.merges');
  const isLlama3 = llama3Like.has(pre);
  return new Tokenizer({
    vocabulary,
    model: byteLevelBpe(vocabulary, merges, isLlama3),
    added: addedTokens(vocabulary),
    normalizer: null,
    preTokenizer: preTokenizerByName(pre),
    alphabet: 'bytes',
    stripsLeadingBlank: false,
    bosId: id(metadata, 'bos', vocabulary),
    addsBos: flag(metadata, 'tokenizer.ggml.add_bos_token', isLlama3),
  });
}

function sentencePieceTokenizer(metadata: Metadata, vocabulary: Vocabulary): Tokenizer {
  const scores = metadata.get('tokenizer.ggml.scores');
  if (!Array.isArray(scores) || scores.length !== vocabulary.texts.length) {
    throw new Error(`tokenizer.ggml.scores must hold ${vocabulary.texts.length} numbers, one a token`);
  }
  const addsBlank = flag(metadata, 'tokenizer.ggml.add_space_prefix', true);
  return new Tokenizer({
    vocabulary,
    model: scoredSpm(vocabulary, Float32Array.from(scores as number[]), id(metadata, 'unknown', vocabulary)),
    added: addedTokens(vocabulary),
    normalizer: (text) => (addsBlank && text !== '' ? ` ${text}` : text).replaceAll(' ', '\u2581'),
    preTokenizer: (text, _first, emit) => emit(text, 0, text.length),
    alphabet: 'sentencepiece',
    stripsLeadingBlank: addsBlank,
    bosId: id(metadata, 'bos', vocabulary),
    addsBos: flag(metadata, 'tokenizer.ggml.add_bos_token', true),
  });
}

function vocabularyOf(metadata: Metadata): Vocabulary {
  const texts = strings(metadata, 'tokenizer.ggml.tokens');
  const types = metadata.get('tokenizer.ggml.token_type');
  const kinds = new Uint8Array(texts.length).fill(tokenKind.normal);
  if (Array.isArray(types)) {
    if (types.length !== texts.length) {
      throw new Error(`tokenizer.ggml.token_type has ${types.length} entries for ${texts.length} tokens`);
    }
    types.forEach((type, index) => (kinds[index] = Number(type)));
  }
  return { texts, kinds };
}

/** Control, user-defined and unknown tokens stand for their literal text. */
function addedTokens(vocabulary: Vocabulary): AddedToken[] {
  const out: AddedToken[] = [];
  vocabulary.texts.forEach((content, index) => {
    const kind = vocabulary.kinds[index]!;
    const isAdded = isMarkerKind(kind, content) || kind === tokenKind.userDefined;
    if (!isAdded || content === '') return;
    out.push({
      id: index,
      content,
      special: kind !== tokenKind.userDefined,
      singleWord: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    });
  });
  return out;
}

function strings(metadata: Metadata, key: string): readonly string[] {
  const value = metadata.get(key);
  if (!Array.isArray(value) || (value.length > 0 && typeof value[0] !== 'string')) {
    throw new Error(`${key} must be a list of strings${value === undefined ? ', and is missing' : ''}`);
  }
  return value as readonly string[];
}

function flag(metadata: Metadata, key: string, otherwise: boolean): boolean {
  const value = metadata.get(key);
  return value === undefined ? otherwise : value !== false && value !== 0;
}

function id(metadata: Metadata, name: string, vocabulary: Vocabulary): number | null {
  const value = metadata.get(`tokenizer.ggml.${name}_token_id`);
  return typeof value === 'number' && value >= 0 && value < vocabulary.texts.length ? value : null;
}
