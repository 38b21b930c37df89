import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { addon } from '../src/binding.ts';
import { draw, exp, log, type Settings, uniform } from './rule2.ts';
import { readVectors, vectorLogits } from './vectors.ts';

/** A reproducible stream of numbers in [0, 1). */
function random(seed: bigint): () => number {
  let position = 0;
  return () => uniform(seed, (position += 1), 0);
}

function drawNative(logits: Float32Array, s: Settings, mask: Uint32Array | null = null): number {
  return addon().drawToken(logits, s.temperature, s.topK, s.topP, s.minP, s.seed, s.position, mask);
}

test('100,000 random draws equal the reference', () => {
  const next = random(1n);
  const pick = <T>(items: readonly T[]) => items[Math.floor(next() * items.length)]!;
  for (let round = 0; round < 1000; round += 1) {
    const size = pick([1, 2, 5, 33, 64]);
    const spread = pick([0, 0.5, 4, 40]);
    const logits = Float32Array.from({ length: size }, () => Math.fround((next() - 0.5) * spread));
    if (size > 4) logits[3] = logits[1]!; // ties
    const useMask = next() < 0.3;
    const mask = useMask ? new Uint32Array((size + 31) >>> 5).fill(pick([0xffffffff, 0x55555555])) : null;
    const allowed = (id: number) => mask === null || ((mask[id >>> 5]! >>> (id & 31)) & 1) === 1;
    for (let index = 0; index < 100; index += 1) {
      const settings = {
        temperature: pick([0, 0.01, 0.7, 1, 1.5, 3]),
        topK: pick([0, -1, 1, 3, 40]),
        topP: pick([1, 0.95, 0.5, 0.01, 0]),
        minP: pick([0, 0.05, 0.5, 1]),
        seed: BigInt(Math.floor(next() * 2 ** 53)) << 11n,
        position: Math.floor(next() * 100000),
      };
      const expected = draw(logits, settings, allowed);
      const got = drawNative(logits, settings, mask);
      if (got !== expected) expect({ got, settings, logits: [...logits] }).toEqual({ got: expected, settings });
    }
  }
});

test('draws follow the softmax within sampling error', () => {
  const logits = Float32Array.from([2, 1, 0, -1]);
  const total = [2, 1, 0, -1].reduce((sum, x) => sum + Math.exp(x), 0);
  const counts = [0, 0, 0, 0];
  const n = 20000;
  for (let position = 0; position < n; position += 1) {
    counts[drawNative(logits, { temperature: 1, topK: 0, topP: 1, minP: 0, seed: 5n, position })]! += 1;
  }
  counts.forEach((count, id) => {
    const p = Math.exp(logits[id]!) / total;
    expect(Math.abs(count / n - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / n));
  });
});

test('exp and log are near the library functions', () => {
  const next = random(2n);
  for (let index = 0; index < 5000; index += 1) {
    const x = -40 * next();
    expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(1e-15);
    const u = next();
    expect(Math.abs(log(u) - Math.log(u))).toBeLessThan(2e-15 * Math.max(1, Math.abs(Math.log(u))));
  }
});

test('the published vectors hold for both', () => {
  const file = fileURLToPath(new URL('../../../docs/exactness/vectors.json', import.meta.url));
  const vectors = readVectors(readFileSync(file, 'utf8'));
  expect(vectors.length).toBeGreaterThan(100);
  for (const vector of vectors) {
    const logits = vectorLogits(vector);
    expect(draw(logits, vector.settings)).toBe(vector.token);
    expect(drawNative(logits, vector.settings)).toBe(vector.token);
  }
});
