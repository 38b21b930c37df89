import { expect, test } from 'vitest';
import { Detokenizer } from './detokenizer.ts';
import { tokenizerFromGguf } from './from-gguf.ts';
import { byteTokenText } from './vocabulary.ts';

const words = ['▁', 'h', 'e', 'l', 'o', 'he', 'll', 'hell', '▁he', '▁hello', 'lo', '<s', 's', '>', '<'];
const texts = ['<unk>', '<s>', '</s>', ...Array.from({ length: 256 }, (_, byte) => byteTokenText(byte)), ...words];
const id = (text: string): number => texts.indexOf(text);

function tokenizer(settings: Record<string, boolean> = {}) {
  const scores = texts.map((text) => (text === 'lo' ? -1 : -2 - texts.indexOf(text) / 1000));
  const kinds = texts.map((_, index) => (index === 0 ? 2 : index < 3 ? 3 : index < 259 ? 6 : 1));
  return tokenizerFromGguf(
    new Map<string, never>(
      Object.entries({
        'tokenizer.ggml.model': 'llama',
        'tokenizer.ggml.tokens': texts,
        'tokenizer.ggml.scores': scores,
        'tokenizer.ggml.token_type': kinds,
        'tokenizer.ggml.bos_token_id': 1,
        'tokenizer.ggml.unknown_token_id': 0,
        ...settings,
      }) as [string, never][],
    ),
  )!;
}

test('the best-scored join goes first, and a blank is put in front', () => {
  // l + o is best; then h + e; ▁ + he; and no token is left that joins ▁he, l and lo.
  expect(tokenizer().encode('hello')).toEqual([id('▁he'), id('l'), id('lo')]);
});

test('a character that is no token becomes its bytes', () => {
  expect(tokenizer({ 'tokenizer.ggml.add_space_prefix': false }).encode('hé')).toEqual([
    id('h'),
    id('<0xC3>'),
    id('<0xA9>'),
  ]);
});

test('merging never makes a control token out of plain text', () => {
  const plain = tokenizer({ 'tokenizer.ggml.add_space_prefix': false });
  expect(plain.encode('<s>', { addedTokens: 'none' })).toEqual([id('<s'), id('>')]);
  expect(plain.encode('<s>')).toEqual([id('<s>')]);
});

test('decoding drops the blank put in front, and a reply keeps its own', () => {
  const spm = tokenizer();
  const ids = spm.encode('hello é');
  expect(spm.decode(ids)).toBe('hello é');
  const reply = new Detokenizer(spm);
  expect(ids.map((token) => reply.push(token).text).join('') + reply.end()).toBe(' hello é');
});

test('a prompt begins with the beginning of text once', () => {
  const spm = tokenizer();
  expect(spm.encodePieces([{ text: 'he', source: 'template' }])[0]).toBe(1);
  const twice = spm.encodePieces([{ text: '<s>he', source: 'template' }]);
  expect(twice.filter((token) => token === 1)).toEqual([1]);
});
