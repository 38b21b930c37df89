import { expect, test } from 'vitest';
import { preTokenizerByName, preTokenizerFromJson, type PreTokenizer } from './pre-tokenizers.ts';

const cut = (preTokenizer: PreTokenizer, text: string): string[] => {
  const pieces: string[] = [];
  preTokenizer(text, true, (whole, start, end) => pieces.push(whole.slice(start, end)));
  return pieces;
};

const split = (behavior: string, invert = false): PreTokenizer =>
  preTokenizerFromJson({ type: 'Split', pattern: { String: '-' }, behavior, invert });

test.each([
  ['gpt-2', "I'll 've 123  x\n\ny", ['I', "'ll", " '", 've', ' 123', ' ', ' x', '\n', '\n', 'y']],
  ['smollm', 'a12 3', ['a', '1', '2', ' ', '3']],
  ['llama3', "It'S 12345 (x)\n\n  y", ['It', "'S", ' ', '123', '45', ' (', 'x', ')\n\n', ' ', ' y']],
  ['qwen2', 'a 12', ['a', ' ', '1', '2']],
  ['qwen35', 'पा x', ['पा', ' x']],
])('%s cuts where its models were taught to', (name, text, pieces) => {
  expect(cut(preTokenizerByName(name), text)).toEqual(pieces);
});

test('an unknown name is refused with the known ones', () => {
  expect(() => preTokenizerByName('nonsense')).toThrow(/"nonsense" is not supported; supported: gpt-2, smollm/);
  expect(() => preTokenizerByName('toString')).toThrow('not supported');
});

test.each([
  ['Isolated', ['a', '-', '-', 'b', '-']],
  ['Removed', ['a', 'b']],
  ['MergedWithPrevious', ['a-', '-', 'b-']],
  ['MergedWithNext', ['a', '-', '-b', '-']],
  ['Contiguous', ['a', '--', 'b', '-']],
])('a split that is %s', (behavior, pieces) => {
  expect(cut(split(behavior), 'a--b-')).toEqual(pieces);
});

test('metaspace puts its mark in front of the first piece only, where it says so', () => {
  const metaspace = preTokenizerFromJson({ type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true });
  expect(cut(metaspace, 'a b')).toEqual(['▁a', '▁b']);
  const pieces: string[] = [];
  metaspace('a b', false, (whole, start, end) => pieces.push(whole.slice(start, end)));
  expect(pieces).toEqual(['a', '▁b']);
});
