import fc from 'fast-check';
import { expect, test } from 'vitest';
import { charBpe } from './bpe.ts';
import { byteTokenText, tokenKind } from './vocabulary.ts';
import { WordCutter } from './word-cutter.ts';

const words = (tokens: readonly string[], text: string): string[] => {
  const out: string[] = [];
  new WordCutter(tokens).cut(text, 0, text.length, (start, end) => out.push(text.slice(start, end)));
  return out;
};

test('text is cut before a mark and around a line end, but not where a token reaches across', () => {
  expect(words(['a', '▁a'], 'a▁a\n▁a')).toEqual(['a', '▁a', '\n', '▁a']);
  expect(words(['a▁', '▁▁', '\n\n'], 'a▁▁b▁c\n\nd')).toEqual(['a▁▁b', '▁c', '\n\n', 'd']);
});

test('cutting changes no ids', () => {
  const chars = ['a', 'b', '▁', '\n'];
  const pairs = fc.uniqueArray(fc.tuple(fc.nat(), fc.nat()), { maxLength: 10, selector: (pair) => pair.join() });
  const texts = fc.array(fc.constantFrom(...chars, 'é'), { maxLength: 40 }).map((list) => list.join(''));
  fc.assert(
    fc.property(pairs, texts, (choices, text) => {
      const tokens = [...Array.from({ length: 256 }, (_, byte) => byteTokenText(byte)), ...chars];
      const merges = choices.map(([left, right]): [string, string] => {
        const known = tokens.slice(256);
        const pair: [string, string] = [known[left % known.length]!, known[right % known.length]!];
        if (!tokens.includes(pair.join(''))) tokens.push(pair.join(''));
        return pair;
      });
      const options = { byteFallback: true, unknownId: null, fuseUnknown: false };
      const vocabulary = { texts: tokens, kinds: new Uint8Array(tokens.length).fill(tokenKind.normal) };
      const cut = charBpe(vocabulary, merges, { ...options, ignoreMerges: false });
      const [ids, expected]: [number[], number[]] = [[], []];
      cut.encode(text, 0, text.length, ids);
      // With ignoreMerges nothing is cut; a text that is one token is that token either way or leaves the comparison.
      if (tokens.includes(text)) return;
      charBpe(vocabulary, merges, { ...options, ignoreMerges: true }).encode(text, 0, text.length, expected);
      expect(ids).toEqual(expected);
    }),
  );
});
