// The form of docs/exactness/vectors.json, and what makes it: node --import tsx libs/engine-native/tests/vectors.ts

import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { draw, type Settings, uniform } from './rule2.ts';

export interface Vector {
  readonly logits: readonly number[];
  readonly settings: Settings;
  readonly token: number;
}

export function readVectors(text: string): Vector[] {
  const { vectors } = JSON.parse(text) as {
    vectors: { logits: number[]; settings: Record<string, number>; seed: string; token: number }[];
  };
  return vectors.map(({ logits, settings, seed, token }) => ({
    logits,
    settings: { ...(settings as unknown as Omit<Settings, 'seed'>), seed: BigInt(seed) },
    token,
  }));
}

export function vectorLogits(vector: Vector): Float32Array {
  return Float32Array.from(vector.logits);
}

function makeVectors(): string {
  let position = 0;
  const next = () => uniform(42n, (position += 1), 0);
  const pick = (items: readonly number[]) => items[Math.floor(next() * items.length)]!;
  const vectors = Array.from({ length: 200 }, () => {
    // Multiples of 1/64: exact in JSON, in float and in double.
    const logits = Array.from({ length: pick([1, 4, 12]) }, () => Math.round((next() - 0.5) * 640) / 64);
    const settings = {
      temperature: pick([0, 0.5, 0.8, 1, 2]),
      topK: pick([0, 2, 8]),
      topP: pick([1, 0.9, 0.5]),
      minP: pick([0, 0.1]),
      position: Math.floor(next() * 4096),
    };
    const seed = BigInt(Math.floor(next() * 2 ** 53)) * 2048n + 1n;
    return { logits, settings, seed: seed.toString(), token: draw(Float32Array.from(logits), { ...settings, seed }) };
  });
  const lines = vectors.map((vector) => `    ${JSON.stringify(vector)}`);
  return `{\n  "rule": "docs/exactness.md, rule 2",\n  "numeric_version": 1,\n  "vectors": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../../../docs/exactness/vectors.json', import.meta.url), makeVectors());
}
