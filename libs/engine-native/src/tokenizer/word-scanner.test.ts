import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isolate, patterns, preTokenizerByName, type PreTokenizer } from './pre-tokenizers.ts';

const cut = (preTokenizer: PreTokenizer, text: string): string[] => {
  const pieces: string[] = [];
  preTokenizer(text, true, (whole, start, end) => pieces.push(whole.slice(start, end)));
  return pieces;
};

/** Characters of every kind the patterns tell apart, thickly mixed, and any others now and then. */
const char = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ..." \t\r\n\u0085\u00a0\u2028\u3000\ufeff'’stremvldSTREMVLDſKaéßA我日0129²Ⅷ٣.,!-_<|>€\u0301\u093f\u200d",
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom('😀', '𝒳', '𝟙', '🏽', '𞤀', '\u{1d165}', "'s", "'LL", ' the', '  ', '\r\n') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const text = fc.array(char, { maxLength: 24 }).map((parts) => parts.join('').replace(/\p{Surrogate}/gu, ''));

test.each([
  ['gpt-2', patterns.gpt2],
  ['llama3', patterns.llama3],
  ['qwen2', patterns.qwen2],
  ['qwen35', patterns.qwen35],
])('the scanner of %s cuts where its regular expression does', (name, pattern) => {
  const scanner = preTokenizerByName(name);
  const regex = isolate(pattern);
  fc.assert(
    fc.property(text, (given) => {
      expect(cut(scanner, given)).toEqual(cut(regex, given));
    }),
    { numRuns: 6000 },
  );
});

test('smollm isolates each number character, then cuts as gpt-2', () => {
  const scanner = preTokenizerByName('smollm');
  const [digits, gpt2] = [isolate('\\p{N}'), isolate(patterns.gpt2)];
  fc.assert(
    fc.property(text, (given) => {
      expect(cut(scanner, given)).toEqual(cut(digits, given).flatMap((piece) => cut(gpt2, piece)));
    }),
    { numRuns: 6000 },
  );
});

test('a run of millions of letters is one word', () => {
  const long = 'a'.repeat(5_000_000);
  expect(cut(preTokenizerByName('qwen2'), long)).toHaveLength(1);
});
