// Finds markers in a reply as it comes. A marker that is one token of the vocabulary is known by its id alone, so the same
// text spelled by other tokens is text; a marker that is no token is known by its text, wherever the pieces cut it.

import type { TokenId, TokenPiece } from '@tensorfold/protocol';

export interface Marker {
  readonly text: string;
  /** null: the vocabulary has no such token. */
  readonly id: TokenId | null;
}

export interface ScannedItem {
  readonly type: 'text' | 'marker';
  /** The text; of a marker, its spelling. */
  readonly text: string;
  /** What the reply shows of it: '' for a control token. */
  readonly shown: string;
  /** Tokens of the reply through this item. */
  readonly numTokens: number;
}

export class MarkerScanner {
  readonly #byId: ReadonlyMap<TokenId, Marker>;
  readonly #byText: readonly string[];
  #pending = '';
  #numTokens = 0;

  constructor(markers: readonly Marker[]) {
    this.#byId = new Map(markers.flatMap((marker) => (marker.id === null ? [] : [[marker.id, marker] as const])));
    this.#byText = markers.filter(({ id }) => id === null).map(({ text }) => text);
  }

  push(piece: TokenPiece): ScannedItem[] {
    if (piece.id !== null) this.#numTokens += 1;
    const marker = piece.id === null ? undefined : this.#byId.get(piece.id);
    if (marker === undefined) return this.#scan(piece.text);
    return [...this.end(), this.#item('marker', marker.text, piece.text)];
  }

  /** What was held back as the possible start of a marker. */
  end(): ScannedItem[] {
    const rest = this.#pending;
    this.#pending = '';
    return rest === '' ? [] : [this.#item('text', rest)];
  }

  #scan(text: string): ScannedItem[] {
    if (text === '') return [];
    let rest = this.#pending + text;
    const items: ScannedItem[] = [];
    for (;;) {
      const found = this.#firstMarker(rest);
      if (found === null) break;
      if (found.at > 0) items.push(this.#item('text', rest.slice(0, found.at)));
      items.push(this.#item('marker', found.marker));
      rest = rest.slice(found.at + found.marker.length);
    }
    const held = Math.max(0, ...this.#byText.map((marker) => pendingLength(rest, marker)));
    if (held < rest.length) items.push(this.#item('text', rest.slice(0, rest.length - held)));
    this.#pending = rest.slice(rest.length - held);
    return items;
  }

  #firstMarker(text: string): { at: number; marker: string } | null {
    let first: { at: number; marker: string } | null = null;
    for (const marker of this.#byText) {
      const at = text.indexOf(marker);
      if (at >= 0 && (first === null || at < first.at)) first = { at, marker };
    }
    return first;
  }

  #item(type: 'text' | 'marker', text: string, shown = text): ScannedItem {
    return { type, text, shown, numTokens: this.#numTokens };
  }
}

/** Length of the longest tail of `text` that could be the start of `marker`: held back, so half a marker never reaches a client. */
export function pendingLength(text: string, marker: string): number {
  for (let length = Math.min(text.length, marker.length - 1); length > 0; length -= 1) {
    if (marker.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
