// Ids of pieces seen before. Words repeat: most of a text's time is spent here.

/** Bounded: of two generations the older is dropped when the newer is full. */
export class PieceCache {
  private recent = new Map<string, number | readonly number[]>();
  private older = new Map<string, number | readonly number[]>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Appends the ids of `piece` to `out`, computing them by `encode` where they are not known. */
  append(piece: string, out: number[], encode: (piece: string) => readonly number[]): void {
    let ids = this.recent.get(piece);
    if (ids === undefined) {
      ids = this.older.get(piece) ?? compact(encode(piece));
      // Long pieces hardly repeat, and would let a prompt decide how much memory this takes.
      if (piece.length <= 64) this.keep(piece, ids);
    }
    if (typeof ids === 'number') out.push(ids);
    else for (const id of ids) out.push(id);
  }

  private keep(piece: string, ids: number | readonly number[]): void {
    if (this.recent.size >= this.limit) {
      this.older = this.recent;
      this.recent = new Map();
    }
    // A slice of a long text keeps that text alive; a copy does not.
    this.recent.set(Buffer.from(piece, 'utf16le').toString('utf16le'), ids);
  }
}

function compact(ids: readonly number[]): number | readonly number[] {
  return ids.length === 1 ? ids[0]! : ids;
}
