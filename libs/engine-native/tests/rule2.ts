// Rule 2 of docs/exactness.md written a second time, slowly and plainly: what another engine would implement.

const two64 = (1n << 64n) - 1n;
const gamma = 0x9e3779b97f4a7c15n;

function finalize(value: bigint): bigint {
  let z = value & two64;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & two64;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & two64;
  return z ^ (z >> 31n);
}

/** One number in (0, 1) per seed, position and token. */
export function uniform(seed: bigint, position: number, token: number): number {
  const row = finalize(finalize(seed + gamma) ^ ((BigInt(position) + gamma) & two64));
  const hash = finalize(row ^ ((BigInt(token) + gamma) & two64));
  return (Number(hash >> 12n) + 0.5) * 2 ** -52;
}

const view = new DataView(new ArrayBuffer(8));
/** 2^n for a normal exponent, by its bits. */
function powerOfTwo(n: number): number {
  view.setBigUint64(0, BigInt(n + 1023) << 52n);
  return view.getFloat64(0);
}

export function exp(x: number): number {
  if (!(x > -745)) return 0;
  const y = x > 709 ? 709 : x;
  const magic = 6755399441055744;
  const n = y * 1.4426950408889634 + magic - magic;
  const r = y - n * 0.6931471803691238 - n * 1.9082149292705877e-10;
  const factorials = [6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2];
  let p = 1 / factorials[0]!;
  for (const factorial of factorials.slice(1)) p = p * r + 1 / factorial;
  p = (p * r + 1) * r + 1;
  const half = Math.trunc(n / 2);
  return p * powerOfTwo(half) * powerOfTwo(n - half);
}

export function log(x: number): number {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  let exponent = Number(bits >> 52n) - 1023;
  view.setBigUint64(0, (bits & 0xfffffffffffffn) | 0x3ff0000000000000n);
  let m = view.getFloat64(0);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  const s = (m - 1) / (m + 1);
  const s2 = s * s;
  let p = 1 / 23;
  for (let k = 21; k >= 3; k -= 2) p = p * s2 + 1 / k;
  const logM = 2 * s + 2 * s * (s2 * p);
  return exponent * 1.9082149292705877e-10 + (logM + exponent * 0.6931471803691238);
}

export interface Settings {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
  readonly seed: bigint;
  readonly position: number;
}

/** The token that rule 2 draws. `allowed`: what the mask lets through. */
export function draw(logits: Float32Array, s: Settings, allowed: (id: number) => boolean = () => true): number {
  const ids = [...logits.keys()].filter(allowed);
  ids.sort((a, b) => logits[b]! - logits[a]! || a - b);
  if (s.temperature === 0) return ids[0]!;
  const largest = logits[ids[0]!]!;
  const weightOf = (id: number) => BigInt(Math.floor(1099511627776 * exp((logits[id]! - largest) / s.temperature)));
  let kept = s.topK > 0 ? ids.slice(0, s.topK) : ids;
  if (s.topP < 1) {
    const total = kept.reduce((sum, id) => sum + weightOf(id), 0n);
    const wanted = Math.ceil(s.topP * Number(total));
    let sum = 0n;
    let count = 0;
    while (count < kept.length && (count === 0 || Number(sum) < wanted)) {
      sum += weightOf(kept[count]!);
      count += 1;
    }
    kept = kept.slice(0, count);
  }
  const least = s.minP * 1099511627776;
  let best = -1;
  let bestScore = Infinity;
  for (const id of kept) {
    const weight = Number(weightOf(id));
    if (weight === 0 || weight < least) continue;
    const score = -log(uniform(s.seed, s.position, id)) / weight;
    if (score < bestScore || (score === bestScore && id < best)) {
      best = id;
      bestScore = score;
    }
  }
  return best;
}
