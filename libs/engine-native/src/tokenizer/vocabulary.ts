// The tokens of a checkpoint: id to text and kind. Both readers make one; models, decoder and masks read it.

/** GGUF's numbers for token types. */
export const tokenKind = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export interface Vocabulary {
  /** Text by id, in the vocabulary's own alphabet; '' where an id has no token. */
  readonly texts: readonly string[];
  /** `tokenKind` by id. */
  readonly kinds: Uint8Array;
}

/** Blanks only (U+2581 is one): such added tokens are text like any other, whoever wrote it. */
export function isBlank(text: string): boolean {
  return /^[\s\u2581]+$/.test(text);
}

/**
 * A marker has a meaning beyond its text: control tokens, and added ones that are not blanks. Plain text never becomes
 * one, by merging either.
 */
export function isMarkerKind(kind: number, text: string): boolean {
  if (kind === tokenKind.control || kind === tokenKind.unknown) return true;
  return kind === tokenKind.userDefined && !isBlank(text);
}

/** Ids by text, of the tokens that plain text may become. */
export function plainIds(vocabulary: Vocabulary): Map<string, number> {
  const ids = new Map<string, number>();
  const { texts, kinds } = vocabulary;
  for (let id = 0; id < texts.length; id += 1) {
    const text = texts[id]!;
    const kind = kinds[id]!;
    if (text === '' || kind === tokenKind.unused) continue;
    if (kind !== tokenKind.normal && kind !== tokenKind.byte && isMarkerKind(kind, text)) continue;
    ids.set(text, id);
  }
  return ids;
}

/** Ids of `<0x00>` to `<0xFF>`; -1 where the vocabulary has none. */
export function byteTokenIds(ids: ReadonlyMap<string, number>): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => ids.get(byteTokenText(byte)) ?? -1);
}

export function byteTokenText(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

/** The byte of a `<0xNN>` text, or -1. */
export function byteOfTokenText(text: string): number {
  return /^<0x[0-9A-Fa-f]{2}>$/.test(text) ? Number.parseInt(text.slice(3, 5), 16) : -1;
}
