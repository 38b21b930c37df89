import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Detokenizer, incompleteTail } from './detokenizer.ts';
import { tokenizerFromJson } from './from-tokenizer-json.ts';

const tokenizer = tokenizerFromJson(
  JSON.parse(readFileSync(new URL('./testdata/tiny/tokenizer.json', import.meta.url), 'utf8')),
  null,
);
/** Ids 0 to 255 are the bytes. */
const push = (ids: readonly number[]): string[] => {
  const detokenizer = new Detokenizer(tokenizer);
  const pieces = ids.map((id) => {
    const { flushed, text } = detokenizer.push(id);
    return flushed + text;
  });
  return [...pieces, detokenizer.end()];
};

test('any bytes, one a token, give what decoding them at once gives', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      expect(push(Array.from(bytes)).join('')).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    }),
  );
});

test('a character is never cut, and comes with its last byte', () => {
  expect(push([...Buffer.from('é😀')])).toEqual(['', 'é', '', '', '', '😀', '']);
});

test('an added token flushes an incomplete character first and stays whole', () => {
  const detokenizer = new Detokenizer(tokenizer);
  detokenizer.push(0xf0);
  expect(detokenizer.push(tokenizer.tokenId('<think>')!)).toEqual({ flushed: '\ufffd', text: '<think>' });
});

test('a control token shows nothing', () => {
  expect(new Detokenizer(tokenizer).push(tokenizer.tokenId('<|im_end|>')!)).toEqual({ flushed: '', text: '' });
});

test('only what could still become a character is held back', () => {
  expect(incompleteTail(Uint8Array.of(0x61, 0xe2, 0x82))).toBe(2);
  expect(incompleteTail(Uint8Array.of(0xed, 0xa0))).toBe(0);
  expect(incompleteTail(Uint8Array.of(0xc3, 0xa9))).toBe(0);
  expect(incompleteTail(Uint8Array.of(0xff))).toBe(0);
});
