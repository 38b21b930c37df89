import { expect, test } from 'vitest';
import { PieceCache } from './piece-cache.ts';

test('a piece gives its own ids, known or not, through being emptied and back', () => {
  const cache = new PieceCache();
  let numEncoded = 0;
  const encode = (piece: string): number[] => {
    numEncoded += 1;
    return Array.from(piece, (char) => char.charCodeAt(0));
  };
  for (let round = 0; round < 2; round += 1) {
    for (let i = 0; i < 100_000; i += 1) {
      const text = `x${i}y`;
      const out: number[] = [];
      cache.append(text, 1, text.length, out, encode);
      if (i % 997 === 0) expect(String.fromCharCode(...out)).toBe(`${i}y`);
    }
  }
  const before = numEncoded;
  cache.append('a99999y', 1, 7, [], encode);
  expect(numEncoded).toBe(before);
});
