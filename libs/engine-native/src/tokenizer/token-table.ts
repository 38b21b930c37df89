// What the engine worker knows of the vocabulary: bytes, literals and kinds of tokens, shared without copying.

import type { TokenId } from '@tensorfold/protocol';
import type { Tokenizer } from './tokenizer.ts';

/** What text of a token needs: the part of a Tokenizer that the worker has too. */
export type TokenTexts = Pick<Tokenizer, 'tokenBytes' | 'addedText' | 'isControl' | 'isAdded' | 'stripsLeadingBlank'>;

/** Plain data that crosses to a worker. */
export interface TokenTableData {
  /** All tokens' bytes, one after the other: an added token's literal text, else the bytes that it decodes to. */
  readonly bytes: SharedArrayBuffer;
  /** [numTokens + 1] where each token begins. */
  readonly offsets: SharedArrayBuffer;
  /** [numTokens] bit 0: added, bit 1: control, bit 2: unused. */
  readonly kinds: SharedArrayBuffer;
  readonly stripsLeadingBlank: boolean;
}

const added = 1;
const control = 2;
const unused = 4;

export function tokenTableData(tokenizer: Tokenizer, vocabSize: number): TokenTableData {
  const numTokens = Math.min(tokenizer.numTokens, vocabSize);
  const unusedIds = new Set(tokenizer.unusedIds(vocabSize));
  const offsets = new Int32Array(new SharedArrayBuffer(4 * (vocabSize + 1)));
  const kinds = new Uint8Array(new SharedArrayBuffer(vocabSize));
  const texts: Uint8Array[] = [];
  let total = 0;
  for (let id = 0; id < vocabSize; id += 1) {
    offsets[id] = total;
    if (unusedIds.has(id)) kinds[id] = unused;
    if (id >= numTokens) continue;
    const literal = tokenizer.addedText(id);
    const text = literal === null ? tokenizer.tokenBytes(id) : Buffer.from(literal);
    if (tokenizer.isAdded(id)) kinds[id]! |= added;
    if (tokenizer.isControl(id)) kinds[id]! |= control;
    texts.push(text);
    total += text.length;
  }
  offsets[vocabSize] = total;
  const bytes = new Uint8Array(new SharedArrayBuffer(total));
  let at = 0;
  for (const text of texts) {
    bytes.set(text, at);
    at += text.length;
  }
  return {
    bytes: bytes.buffer as SharedArrayBuffer,
    offsets: offsets.buffer as SharedArrayBuffer,
    kinds: kinds.buffer as SharedArrayBuffer,
    stripsLeadingBlank: tokenizer.stripsLeadingBlank,
  };
}

export class TokenTable implements TokenTexts {
  readonly stripsLeadingBlank: boolean;
  private readonly bytes: Uint8Array;
  private readonly offsets: Int32Array;
  private readonly kinds: Uint8Array;

  constructor(data: TokenTableData) {
    this.bytes = new Uint8Array(data.bytes);
    this.offsets = new Int32Array(data.offsets);
    this.kinds = new Uint8Array(data.kinds);
    this.stripsLeadingBlank = data.stripsLeadingBlank;
  }

  get vocabSize(): number {
    return this.kinds.length;
  }

  tokenBytes(id: TokenId): Uint8Array {
    return this.bytes.subarray(this.offsets[id], this.offsets[id + 1]);
  }

  addedText(id: TokenId): string | null {
    // A copy: a TextDecoder refuses shared memory.
    return this.isAdded(id) ? Buffer.from(this.tokenBytes(id)).toString() : null;
  }

  isAdded(id: TokenId): boolean {
    return (this.kinds[id]! & added) !== 0;
  }

  isControl(id: TokenId): boolean {
    return (this.kinds[id]! & control) !== 0;
  }

  /** One bit a token, set where the id is a token at all; null where all are. */
  usedMask(): Uint32Array | null {
    if (!this.kinds.some((kind) => (kind & unused) !== 0)) return null;
    const mask = new Uint32Array((this.vocabSize + 31) >>> 5);
    for (let id = 0; id < this.vocabSize; id += 1) {
      if ((this.kinds[id]! & unused) === 0) mask[id >>> 5]! |= 1 << (id & 31);
    }
    return mask;
  }
}
