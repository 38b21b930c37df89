// Numbers that depend on a seed and a name only, the same on every machine.

export class Random {
  private state: number;

  constructor(seed: number, name: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
    this.state = hash >>> 0;
  }

  /** 32 bits (mulberry32). */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  }

  /** [0, 1). */
  unit(): number {
    return this.bits() / 2 ** 32;
  }

  /**
   * Mean 0, variance 1, from sums of bits: Math.log and Math.cos may round differently elsewhere, and files must not.
   * Twelve uniform numbers less six (Irwin-Hall).
   */
  gaussian(): number {
    let sum = 0;
    for (let i = 0; i < 12; i += 1) sum += this.bits();
    return sum / 2 ** 32 - 6;
  }

  fill(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i += 4) {
      const word = this.bits();
      for (let k = 0; k < 4 && i + k < bytes.length; k += 1) bytes[i + k] = word >>> (8 * k);
    }
  }
}
