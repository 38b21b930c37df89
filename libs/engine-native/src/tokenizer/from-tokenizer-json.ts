// A tokenizer from Hugging Face's tokenizer.json and tokenizer_config.json (tokenizer.md, section 1).

import type { AddedToken } from './added-tokens.ts';
import { byteLevelBpe, charBpe, type Merges } from './bpe.ts';
import { normalizerFromJson } from './normalizers.ts';
import { preTokenizerFromJson } from './pre-tokenizers.ts';
import { Tokenizer } from './tokenizer.ts';
import { byteOfTokenText, tokenKind, type Vocabulary } from './vocabulary.ts';

type Json = Readonly<Record<string, unknown>>;

/** Both arguments as parsed JSON; `config` may be null. Throws an Error that names what is not supported. */
export function tokenizerFromJson(json: unknown, config: unknown): Tokenizer {
  const root = objectOf(json);
  const model = objectOf(root['model']);
  // Files older than the field leave the type out.
  const type = model['type'] ?? ('merges' in model ? 'BPE' : 'unknown');
  if (type !== 'BPE')
    throw new Error(
      `tokenizer.json has a ${typeof type === 'string' ? type : JSON.stringify(type)} model; supported: BPE`,
    );
  for (const field of ['continuing_subword_prefix', 'end_of_word_suffix']) {
    if ((model[field] ?? '') !== '') throw new Error(`tokenizer.json has a model.${field}, which is not supported`);
  }
  const { merges } = model;
  if (!Array.isArray(merges)) throw new Error('tokenizer.json has no list of model.merges');
  const added = addedTokens(root['added_tokens']);
  const vocab = objectOf(model['vocab']) as Readonly<Record<string, number>>;
  const isByteLevel = mentions(root['pre_tokenizer'], 'ByteLevel') || mentions(root['decoder'], 'ByteLevel');
  const byteFallback = model['byte_fallback'] === true;
  const vocabulary = vocabularyOf(vocab, added, byteFallback);
  const ignoreMerges = model['ignore_merges'] === true;
  const unknown = model['unk_token'];
  const bos = beginningOfText(root['post_processor'], config as Json | null, added);
  return new Tokenizer({
    vocabulary,
    model: isByteLevel
      ? byteLevelBpe(vocabulary, merges as Merges, ignoreMerges)
      : charBpe(vocabulary, merges as Merges, {
          byteFallback,
          ignoreMerges,
          unknownId: typeof unknown === 'string' ? (vocab[unknown] ?? null) : null,
          fuseUnknown: model['fuse_unk'] === true,
        }),
    added,
    normalizer: normalizerFromJson(root['normalizer']),
    preTokenizer: preTokenizerFromJson(root['pre_tokenizer']),
    alphabet: isByteLevel ? 'bytes' : 'sentencepiece',
    stripsLeadingBlank: stripsLeadingBlank(root['decoder']),
    ...bos,
  });
}

function addedTokens(list: unknown): AddedToken[] {
  if (!Array.isArray(list ?? [])) throw new Error('tokenizer.json has added_tokens that are no list');
  return ((list ?? []) as readonly unknown[]).map(objectOf).map((token) => ({
    id: Number(token['id']),
    content: String(token['content']),
    special: token['special'] === true,
    singleWord: token['single_word'] === true,
    lstrip: token['lstrip'] === true,
    rstrip: token['rstrip'] === true,
    normalized: token['normalized'] === true,
  }));
}

function vocabularyOf(
  vocab: Readonly<Record<string, number>>,
  added: readonly AddedToken[],
  byteFallback: boolean,
): Vocabulary {
  // The vocabulary is an object of many keys: going through it once is what counts in loading.
  const entries = Object.entries(vocab);
  if (entries.length === 0) throw new Error('tokenizer.json has no model.vocab, or nothing in it');
  let numTokens = 0;
  for (const entry of entries) numTokens = Math.max(numTokens, entry[1] + 1);
  for (const token of added) numTokens = Math.max(numTokens, token.id + 1);
  if (!(numTokens <= maxTokens)) throw new Error(`tokenizer.json has an id of ${numTokens - 1}, over ${maxTokens}`);
  const texts = Array.from({ length: numTokens }, () => '');
  const kinds = new Uint8Array(numTokens).fill(tokenKind.unused);
  for (const [text, id] of entries) {
    texts[id] = text;
    kinds[id] = byteFallback && text.length === 6 && byteOfTokenText(text) >= 0 ? tokenKind.byte : tokenKind.normal;
  }
  for (const token of added) {
    texts[token.id] = token.content;
    kinds[token.id] = token.special ? tokenKind.control : tokenKind.userDefined;
  }
  return { texts, kinds };
}

/** Ten times the largest in use; more is a broken file. */
const maxTokens = 4_000_000;

/** Put in front where the post-processor says so, or (DeepSeek) only the config that the Python class reads. */
function beginningOfText(
  postProcessor: unknown,
  config: Json | null,
  added: readonly AddedToken[],
): { bosId: number | null; addsBos: boolean } {
  const byText = (text: string): number | null => added.find((token) => token.content === text)?.id ?? null;
  const named = config?.['bos_token'];
  const text = typeof named === 'string' ? named : (named as Json | null | undefined)?.['content'];
  const configured = typeof text === 'string' ? byText(text) : null;
  for (const step of steps(postProcessor, 'processors')) {
    if (step['type'] !== 'TemplateProcessing') continue;
    const first = (step['single'] as readonly Json[])[0]?.['SpecialToken'] as Json | undefined;
    const id = first === undefined ? null : byText(String(first['id']));
    if (id !== null) return { bosId: id, addsBos: true };
  }
  return { bosId: configured, addsBos: configured !== null && config?.['add_bos_token'] === true };
}

function stripsLeadingBlank(decoder: unknown): boolean {
  return steps(decoder, 'decoders').some(
    (step) =>
      (step['type'] === 'Strip' && step['content'] === ' ' && Number(step['start']) > 0) ||
      (step['type'] === 'Metaspace' &&
        (step['prepend_scheme'] ?? 'always') !== 'never' &&
        step['add_prefix_space'] !== false),
  );
}

/** Of what is no object, an empty one: what is looked for in it is then missing by its own name. */
function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function mentions(node: unknown, type: string): boolean {
  return [...steps(node, 'pretokenizers'), ...steps(node, 'decoders')].some((step) => step['type'] === type);
}

/** The steps of a `Sequence`, nested ones too, or the one step itself. */
function steps(node: unknown, field: string): Json[] {
  if (node === null || typeof node !== 'object') return [];
  const step = node as Json;
  if (step['type'] !== 'Sequence') return [step];
  return ((step[field] ?? []) as readonly unknown[]).flatMap((inner) => steps(inner, field));
}
