// Ids of pieces seen before, found by their characters without making a string. Words repeat: this is where a text's
// time goes.

/** Bounded: emptied when full. Pieces and ids stand one after the other in two pools. */
export class PieceCache {
  /** Four numbers a slot, on one cache line: hash, start in `chars`, start in `ids`, length + 256 * number of ids. */
  private readonly slots = new Int32Array(numSlots * slotSize);
  private chars = new Uint16Array(1 << 16);
  private ids = new Int32Array(1 << 16);
  private numPieces = 0;
  private numChars = 0;
  private numIds = 0;

  /** Appends the ids of text[start, end) to `out`, computing them by `encode` where they are not known. */
  append(text: string, start: number, end: number, out: number[], encode: (piece: string) => readonly number[]): void {
    const length = end - start;
    // Long pieces hardly repeat, and would let a prompt decide how much memory this takes.
    if (length > maxLength) {
      for (const id of encode(text.slice(start, end))) out.push(id);
      return;
    }
    let hash = length;
    for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash ^= hash >>> 15;
    const { slots } = this;
    let slot = this.home(hash);
    for (let sizes = slots[slot + 3]!; sizes !== 0; sizes = slots[slot + 3]!) {
      if (slots[slot] === hash && (sizes & 0xff) === length && this.isAt(slots[slot + 1]!, text, start, end)) {
        const from = slots[slot + 2]!;
        const to = from + (sizes >>> 8);
        for (let i = from; i < to; i += 1) out.push(this.ids[i]!);
        return;
      }
      slot = (slot + slotSize) & (numSlots * slotSize - 1);
    }
    const ids = encode(text.slice(start, end));
    for (const id of ids) out.push(id);
    if (length > 0) this.keep(hash, text, start, end, ids);
  }

  private home(hash: number): number {
    return (hash & (numSlots - 1)) * slotSize;
  }

  private isAt(from: number, text: string, start: number, end: number): boolean {
    for (let i = start; i < end; i += 1) if (this.chars[from + i - start] !== text.charCodeAt(i)) return false;
    return true;
  }

  private keep(hash: number, text: string, start: number, end: number, ids: readonly number[]): void {
    const { slots } = this;
    if (this.numPieces >= numSlots / 2) {
      slots.fill(0);
      this.numPieces = 0;
      this.numChars = 0;
      this.numIds = 0;
    }
    let slot = this.home(hash);
    while (slots[slot + 3] !== 0) slot = (slot + slotSize) & (numSlots * slotSize - 1);
    this.reserve(end - start, ids.length);
    slots[slot] = hash;
    slots[slot + 1] = this.numChars;
    slots[slot + 2] = this.numIds;
    slots[slot + 3] = end - start + 256 * ids.length;
    for (let i = start; i < end; i += 1) this.chars[this.numChars++] = text.charCodeAt(i);
    for (const id of ids) this.ids[this.numIds++] = id;
    this.numPieces += 1;
  }

  private reserve(numChars: number, numIds: number): void {
    if (this.numChars + numChars > this.chars.length) {
      const larger = new Uint16Array(this.chars.length * 2);
      larger.set(this.chars);
      this.chars = larger;
    }
    if (this.numIds + numIds > this.ids.length) {
      const larger = new Int32Array(this.ids.length * 2);
      larger.set(this.ids);
      this.ids = larger;
    }
  }
}

/** Twice the words that a large mixed text has. */
const numSlots = 1 << 17;
const slotSize = 4;
const maxLength = 64;
