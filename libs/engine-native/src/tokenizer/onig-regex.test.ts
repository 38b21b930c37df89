import { expect, test } from 'vitest';
import { compileOnig, literalPattern } from './onig-regex.ts';

const matches = (pattern: string, text: string): string[] => text.match(compileOnig(pattern, 'g')) ?? [];

test('white space is Unicode White_Space: U+0085 is, U+FEFF is not', () => {
  expect(matches('\\s', '\u0085\ufeff\u3000 \t')).toEqual(['\u0085', '\u3000', ' ', '\t']);
  expect(matches('[^\\s]', '\u0085\ufeff')).toEqual(['\ufeff']);
});

test('a case-insensitive group takes both cases and the long s, and ends with the group', () => {
  expect(matches("(?i:'s|'ll)x", "'Sx 'ſx 'lLx 'sX")).toEqual(["'Sx", "'ſx", "'lLx"]);
});

test('characters that only JavaScript treats as syntax stay literal in classes', () => {
  expect(matches('[!"#(){}|&~\\]\\[-]+', 'a(){}|&~]["#!-b')).toEqual(['(){}|&~]["#!-']);
});

test('a possessive quantifier does not give back', () => {
  expect(matches('a++ab', 'aaab')).toEqual([]);
  expect(matches('[ab]?+b', 'bb b')).toEqual(['bb']);
});

test('a literal matches itself whatever it holds', () => {
  const text = '▁.*[x]\\ 😀';
  expect(matches(literalPattern(text), `a${text}b`)).toEqual([text]);
});

test('what is not supported is named', () => {
  expect(() => compileOnig('(?>a)')).toThrow('a group (?>');
  expect(() => compileOnig('[a&&b]')).toThrow('class intersection');
});
