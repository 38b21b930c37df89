// Byte-pair merging itself: the pair of lowest rank first, the leftmost on ties, until no pair is left.

/** What pairs merge into. Symbols are small integers; a slot is where a known pair's rank and result stand. */
export interface Pairs {
  /** Slot of the pair, or -1. */
  find(left: number, right: number): number;
  readonly ranks: Int32Array;
  readonly results: Int32Array;
}

const noPair = -1;

/** Below this a scan over all pairs is faster than a heap. */
const scanLimit = 48;

/** Merges `symbols[0, length)` in place and returns the new length. */
export function mergeSymbols(symbols: Int32Array, length: number, pairs: Pairs): number {
  return length <= scanLimit ? mergeByScan(symbols, length, pairs) : mergeByHeap(symbols, length, pairs);
}

/** Of the pair at each position: its slot, and its rank, so that the scan stays in one cache line or two. */
const scanSlots = new Int32Array(scanLimit);
const scanRanks = new Int32Array(scanLimit);
const noRank = 0x7fffffff;

function mergeByScan(symbols: Int32Array, length: number, pairs: Pairs): number {
  let count = length;
  for (let i = 0; i + 1 < count; i += 1) lookAt(i, symbols, pairs);
  for (;;) {
    let best = -1;
    let bestRank = noRank;
    for (let i = 0; i + 1 < count; i += 1) {
      const rank = scanRanks[i]!;
      if (rank < bestRank) {
        best = i;
        bestRank = rank;
      }
    }
    if (best < 0) return count;
    symbols[best] = pairs.results[scanSlots[best]!]!;
    count -= 1;
    for (let i = best + 1; i < count; i += 1) {
      symbols[i] = symbols[i + 1]!;
      scanSlots[i - 1] = scanSlots[i]!;
      scanRanks[i - 1] = scanRanks[i]!;
    }
    if (best + 1 < count) lookAt(best, symbols, pairs);
    if (best > 0) lookAt(best - 1, symbols, pairs);
  }
}

function lookAt(at: number, symbols: Int32Array, pairs: Pairs): void {
  const slot = pairs.find(symbols[at]!, symbols[at + 1]!);
  scanSlots[at] = slot;
  scanRanks[at] = slot === noPair ? noRank : pairs.ranks[slot]!;
}

/** O(n log n). An entry is stale once the pair at its position changed: the position's slot then has another rank. */
function mergeByHeap(symbols: Int32Array, length: number, pairs: Pairs): number {
  const { ranks, results } = pairs;
  const next = new Int32Array(length);
  const previous = new Int32Array(length);
  const slots = new Int32Array(length).fill(noPair);
  const heap = new MinHeap(length);
  const look = (at: number): void => {
    const right = next[at]!;
    const slot = right < length ? pairs.find(symbols[at]!, symbols[right]!) : noPair;
    slots[at] = slot;
    if (slot !== noPair) heap.push(ranks[slot]! * positions + at);
  };
  for (let i = 0; i < length; i += 1) {
    next[i] = i + 1;
    previous[i] = i - 1;
  }
  for (let i = 0; i < length; i += 1) look(i);
  while (heap.size > 0) {
    const entry = heap.pop();
    const at = entry % positions;
    const slot = slots[at]!;
    if (slot === noPair || ranks[slot] !== (entry - at) / positions) continue;
    const right = next[at]!;
    symbols[at] = results[slot]!;
    slots[right] = noPair;
    next[at] = next[right]!;
    if (next[at]! < length) previous[next[at]!] = at;
    look(at);
    if (previous[at]! >= 0) look(previous[at]!);
  }
  let count = 0;
  for (let i = 0; i < length; i = next[i]!) symbols[count++] = symbols[i]!;
  return count;
}

/** A heap entry is rank * positions + position: exact in a double for ranks below 2^21. */
const positions = 2 ** 32;

class MinHeap {
  size = 0;
  private keys: Float64Array;

  constructor(capacity: number) {
    this.keys = new Float64Array(Math.max(capacity, 16));
  }

  push(key: number): void {
    if (this.size === this.keys.length) {
      const larger = new Float64Array(this.keys.length * 2);
      larger.set(this.keys);
      this.keys = larger;
    }
    const keys = this.keys;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent]! <= key) break;
      keys[at] = keys[parent]!;
      at = parent;
    }
    keys[at] = key;
  }

  pop(): number {
    const keys = this.keys;
    const top = keys[0]!;
    const last = keys[--this.size]!;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && keys[child + 1]! < keys[child]!) child += 1;
      if (keys[child]! >= last) break;
      keys[at] = keys[child]!;
      at = child;
    }
    keys[at] = last;
    return top;
  }
}

/** Pairs by two symbols: open addressing, half full at most. A slot is the index of its first number in `table`. */
export class PairTable implements Pairs {
  readonly ranks: Int32Array;
  readonly results: Int32Array;
  /** Four numbers a slot, so that a look touches one cache line: left + 1 (0 is free), right, rank, result. */
  private readonly table: Int32Array;
  private readonly shift: number;

  constructor(numPairs: number) {
    const bits = Math.max(4, Math.ceil(Math.log2(2 * numPairs + 1)));
    this.shift = 32 - bits;
    this.table = new Int32Array(4 * 2 ** bits);
    this.ranks = this.table.subarray(2);
    this.results = this.table.subarray(3);
  }

  /** The first of equal pairs stays. */
  add(left: number, right: number, rank: number, result: number): void {
    const { table } = this;
    let slot = this.home(left, right);
    while (table[slot] !== 0) {
      if (table[slot] === left + 1 && table[slot + 1] === right) return;
      slot = (slot + 4) & (table.length - 1);
    }
    table[slot] = left + 1;
    table[slot + 1] = right;
    table[slot + 2] = rank;
    table[slot + 3] = result;
  }

  find(left: number, right: number): number {
    const { table } = this;
    let slot = this.home(left, right);
    for (;;) {
      const seen = table[slot]!;
      if (seen === 0) return noPair;
      if (seen === left + 1 && table[slot + 1] === right) return slot;
      slot = (slot + 4) & (table.length - 1);
    }
  }

  private home(left: number, right: number): number {
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash >>> this.shift) << 2;
  }
}
