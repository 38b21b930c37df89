// Ids of pieces seen before, found by their characters without making a string. Words repeat: this is where a text's
// time goes.

/** Bounded: emptied when full. */
export class PieceCache {
  /** One cache line a slot: hash, length + 256 * number of ids, 16 UTF-16 units, 6 ids. What is longer is in `pools`. */
  private slots = new Int32Array(minSlots * slotSize);
  private readonly pools = new Pools();
  private numPieces = 0;

  /**
   * Appends the ids of text[start, end) to `out`, computing them by `encode` where they are not known. `encode` looks up
   * nothing here: `packed` is the piece's own until it is kept.
   */
  append(text: string, start: number, end: number, out: number[], encode: (piece: string) => readonly number[]): void {
    const length = end - start;
    // Long pieces hardly repeat, and would let a prompt decide how much memory this takes.
    if (length > maxLength) {
      for (const id of encode(text.slice(start, end))) out.push(id);
      return;
    }
    const hash = pack(text, start, end);
    const { slots } = this;
    let slot = home(hash, slots);
    for (let sizes = slots[slot + 1]!; sizes !== 0; sizes = slots[slot + 1]!) {
      if (slots[slot] === hash && (sizes & 0xff) === length && this.holds(slot, length, text, start)) {
        this.appendIds(slot, sizes >>> 8, out);
        return;
      }
      slot = (slot + slotSize) & (slots.length - 1);
    }
    const ids = encode(text.slice(start, end));
    for (const id of ids) out.push(id);
    if (length > 0) this.keep(hash, text, start, end, ids);
  }

  private holds(slot: number, length: number, text: string, start: number): boolean {
    const { slots } = this;
    if (length > inlineUnits) return this.pools.hasUnits(slots[slot + unitsAt]!, text, start, length);
    const numWords = (length + 1) >> 1;
    for (let i = 0; i < numWords; i += 1) if (slots[slot + unitsAt + i] !== packed[i]) return false;
    return true;
  }

  private appendIds(slot: number, numIds: number, out: number[]): void {
    const { slots } = this;
    const from = slot + idsAt;
    if (numIds <= inlineIds) for (let i = from; i < from + numIds; i += 1) out.push(slots[i]!);
    else this.pools.appendIds(slots[from]!, numIds, out);
  }

  private keep(hash: number, text: string, start: number, end: number, ids: readonly number[]): void {
    if (2 * slotSize * (this.numPieces + 1) > this.slots.length) this.grow();
    const { slots } = this;
    const length = end - start;
    const slot = freeSlot(hash, slots);
    slots[slot] = hash;
    slots[slot + 1] = length + 256 * ids.length;
    if (length > inlineUnits) slots[slot + unitsAt] = this.pools.addUnits(text, start, end);
    else for (let i = 0; i < (length + 1) >> 1; i += 1) slots[slot + unitsAt + i] = packed[i]!;
    if (ids.length > inlineIds) slots[slot + idsAt] = this.pools.addIds(ids);
    else for (let i = 0; i < ids.length; i += 1) slots[slot + idsAt + i] = ids[i]!;
    this.numPieces += 1;
  }

  private grow(): void {
    const old = this.slots;
    if (old.length === maxSlots * slotSize) {
      old.fill(0);
      this.pools.clear();
      this.numPieces = 0;
      return;
    }
    const slots = new Int32Array(old.length * 2);
    for (let from = 0; from < old.length; from += slotSize) {
      if (old[from + 1] !== 0) slots.set(old.subarray(from, from + slotSize), freeSlot(old[from]!, slots));
    }
    this.slots = slots;
  }
}

const minSlots = 1 << 12;
/** Four times the words that a large mixed text has. */
const maxSlots = 1 << 18;
const slotSize = 16;
const unitsAt = 2;
const inlineUnits = 16;
const idsAt = unitsAt + inlineUnits / 2;
const inlineIds = slotSize - idsAt;
const maxLength = 64;

/** The piece looked up last, two UTF-16 units a word, the last one filled up with 0. */
const packed = new Int32Array((maxLength + 1) >> 1);

/** Fills `packed` and returns its hash. */
function pack(text: string, start: number, end: number): number {
  let hash = end - start;
  let word = 0;
  let at = start;
  for (; at + 1 < end; at += 2) {
    const pair = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
    packed[word++] = pair;
    hash = Math.imul(hash ^ pair, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  if (at < end) {
    const unit = text.charCodeAt(at);
    packed[word] = unit;
    hash = Math.imul(hash ^ unit, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function home(hash: number, slots: Int32Array): number {
  return Math.imul(hash, slotSize) & (slots.length - 1);
}

function freeSlot(hash: number, slots: Int32Array): number {
  let slot = home(hash, slots);
  while (slots[slot + 1] !== 0) slot = (slot + slotSize) & (slots.length - 1);
  return slot;
}

/** Units and ids of the pieces too long for their slot, one after the other. */
class Pools {
  private units = new Uint16Array(1 << 12);
  private ids = new Int32Array(1 << 12);
  private numUnits = 0;
  private numIds = 0;

  hasUnits(from: number, text: string, start: number, length: number): boolean {
    for (let i = 0; i < length; i += 1) if (this.units[from + i] !== text.charCodeAt(start + i)) return false;
    return true;
  }

  appendIds(from: number, count: number, out: number[]): void {
    for (let i = from; i < from + count; i += 1) out.push(this.ids[i]!);
  }

  addUnits(text: string, start: number, end: number): number {
    const from = this.numUnits;
    if (from + end - start > this.units.length) {
      const larger = new Uint16Array(this.units.length * 2);
      larger.set(this.units);
      this.units = larger;
    }
    for (let i = start; i < end; i += 1) this.units[this.numUnits++] = text.charCodeAt(i);
    return from;
  }

  addIds(ids: readonly number[]): number {
    const from = this.numIds;
    if (from + ids.length > this.ids.length) {
      const larger = new Int32Array(this.ids.length * 2);
      larger.set(this.ids);
      this.ids = larger;
    }
    for (const id of ids) this.ids[this.numIds++] = id;
    return from;
  }

  clear(): void {
    this.numUnits = 0;
    this.numIds = 0;
  }
}
