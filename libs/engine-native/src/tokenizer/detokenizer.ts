// Tokens to text as they come. Never cuts a character: an incomplete one waits for its next byte (tokenizer.md, section 5).

import type { TokenId } from '@tensorfold/protocol';
import type { TokenTexts } from './token-table.ts';

export interface DetokenizedPiece {
  /** Text of earlier tokens that ends here: U+FFFD where an added token cut a character off, else ''. Comes first. */
  readonly flushed: string;
  /** What this token adds; '' for a control token, and where its first character is still incomplete. */
  readonly text: string;
}

/** One reply's decoder. Joined texts are the decoded bytes, with control tokens left out. */
export class Detokenizer {
  private readonly tokenizer: TokenTexts;
  /** Bytes of an incomplete character: at most 3. */
  private pending: Uint8Array = nothing;
  private stripsBlank: boolean;

  /** `atStart`: the ids begin a text, so a blank that the encoder put in front goes. A reply follows its prompt. */
  constructor(tokenizer: TokenTexts, options: { readonly atStart?: boolean } = {}) {
    this.tokenizer = tokenizer;
    this.stripsBlank = options.atStart === true && tokenizer.stripsLeadingBlank;
  }

  push(id: TokenId): DetokenizedPiece {
    if (this.tokenizer.isAdded(id)) {
      const flushed = this.end();
      this.stripsBlank = false;
      return { flushed, text: this.tokenizer.isControl(id) ? '' : (this.tokenizer.addedText(id) ?? '') };
    }
    return { flushed: '', text: this.pushBytes(this.tokenizer.tokenBytes(id)) };
  }

  /** What is left at the end of the reply. */
  end(): string {
    const text = utf8.decode(this.pending);
    this.pending = nothing;
    return text;
  }

  private pushBytes(added: Uint8Array): string {
    const bytes = this.pending.length === 0 ? added : Buffer.concat([this.pending, added]);
    const complete = bytes.length - incompleteTail(bytes);
    this.pending = unshared(bytes.subarray(complete));
    const text = utf8.decode(unshared(bytes.subarray(0, complete)));
    if (!this.stripsBlank || text === '') return text;
    this.stripsBlank = false;
    return text.startsWith(' ') ? text.slice(1) : text;
  }
}

/** Length of an unfinished but so far valid character at the end of `bytes`: 0 to 3. */
export function incompleteTail(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length += 1) {
    const lead = bytes[bytes.length - length]!;
    if (lead >= 0x80 && lead < 0xc0) continue;
    const needed =
      lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
    if (needed <= length) return 0;
    return length === 1 || validSecond(lead, bytes[bytes.length - length + 1]!) ? length : 0;
  }
  return 0;
}

/** No overlong forms, no surrogates, nothing past U+10FFFF. */
function validSecond(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}

const nothing = new Uint8Array(0);
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A TextDecoder refuses shared memory, and what is kept must not be a view of the whole table. */
function unshared(bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? nothing : Uint8Array.from(bytes);
}
