// A forced tool call: the answer's first token that is not whitespace becomes the call's opener, and the name is held to
// the offered ones. The model writes the arguments. Each fix depends on the reply's tokens only.

import type { ThinkingSettings, TokenId } from '@tensorfold/protocol';
import type { TokenTexts } from '../tokenizer/token-table.ts';
import type { Constraint, Step } from './constraint.ts';

/** A ForcedToolCall (pipeline.ts) whose texts are tokens already. */
export interface ForcedCallTokens {
  /** From the opener through the last character before the name. */
  readonly openerIds: readonly TokenId[];
  /** Each offered name with the text that ends it, as bytes and as tokens. */
  readonly names: readonly { readonly text: string; readonly ids: readonly TokenId[] }[];
}

type Phase = 'thinking' | 'before' | 'opener' | 'name' | 'free';

export class ToolChoice implements Constraint {
  private readonly call: ForcedCallTokens;
  private readonly thinking: ThinkingSettings | null;
  private readonly texts: TokenTexts;
  private readonly endTokens: ReadonlySet<TokenId>;
  private phase: Phase;
  private numOpener = 0;
  private written = '';
  /** Tokens of the name that are forced from here; empty while the model's own tokens keep to a name. */
  private rest: readonly TokenId[] = [];

  constructor(
    call: ForcedCallTokens,
    thinking: ThinkingSettings | null,
    texts: TokenTexts,
    endTokens: ReadonlySet<TokenId>,
  ) {
    this.call = call;
    this.thinking = thinking;
    this.texts = texts;
    this.endTokens = endTokens;
    this.phase = thinking?.startsOpen === true ? 'thinking' : 'before';
  }

  next(): Step {
    const forced = this.foreseen()[0];
    return forced === undefined ? null : { forced };
  }

  replace(token: TokenId): TokenId {
    if (this.phase === 'before' && this.startsAnswer(token)) return this.call.openerIds[0]!;
    if (this.phase === 'name' && this.rest.length === 0 && this.namesAfter(token).length === 0) {
      this.rest = this.restOfName();
      return this.rest[0]!;
    }
    return token;
  }

  push(token: TokenId): void {
    switch (this.phase) {
      case 'thinking':
        if (token === this.thinking?.closeId) this.phase = 'before';
        return;
      case 'before':
        if (token === this.thinking?.openId) this.phase = 'thinking';
        else if (token === this.call.openerIds[0]) this.advanceOpener();
        return;
      case 'opener':
        return this.advanceOpener();
      case 'name':
        return this.advanceName(token);
      case 'free':
        return;
    }
  }

  foreseen(): readonly TokenId[] {
    if (this.phase === 'opener') return this.call.openerIds.slice(this.numOpener);
    return this.phase === 'name' ? this.rest : [];
  }

  private startsAnswer(token: TokenId): boolean {
    if (token === this.thinking?.openId || token === this.call.openerIds[0]) return false;
    return this.endTokens.has(token) || textOf(this.texts, token).trim() !== '';
  }

  private advanceOpener(): void {
    this.numOpener += 1;
    this.phase = this.numOpener < this.call.openerIds.length ? 'opener' : 'name';
  }

  private advanceName(token: TokenId): void {
    this.written += textOf(this.texts, token);
    if (this.rest[0] === token) this.rest = this.rest.slice(1);
    const complete = this.call.names.some((name) => this.written.startsWith(name.text));
    if (complete) this.phase = 'free';
  }

  /** Names that what is written, with this token after it, still begins or completes. */
  private namesAfter(token: TokenId): readonly { readonly text: string }[] {
    const text = this.written + textOf(this.texts, token);
    if (this.endTokens.has(token)) return [];
    return this.call.names.filter((name) => name.text.startsWith(text) || text.startsWith(name.text));
  }

  /** The rest of the first offered name that the written part starts, as tokens. */
  private restOfName(): readonly TokenId[] {
    const name = this.call.names.find((candidate) => candidate.text.startsWith(this.written)) ?? this.call.names[0]!;
    // Tokens of the whole name where the written part ends between two of them, else one byte-true token at a time.
    let text = '';
    for (let index = 0; index < name.ids.length; index += 1) {
      if (text === this.written) return name.ids.slice(index);
      text += textOf(this.texts, name.ids[index]!);
    }
    return longestTokens(this.texts, name.text.slice(this.written.length), name.ids);
  }
}

function textOf(texts: TokenTexts, token: TokenId): string {
  return texts.addedText(token) ?? Buffer.from(texts.tokenBytes(token)).toString('latin1');
}

/** Tokens that spell `rest`: the tail tokens of the name where they fit, single-byte tokens before them. */
function longestTokens(texts: TokenTexts, rest: string, nameIds: readonly TokenId[]): readonly TokenId[] {
  const tail: TokenId[] = [];
  let left = rest;
  for (let index = nameIds.length - 1; index >= 0; index -= 1) {
    const text = textOf(texts, nameIds[index]!);
    if (!left.endsWith(text)) break;
    tail.unshift(nameIds[index]!);
    left = left.slice(0, left.length - text.length);
  }
  return [...Array.from(left, (character) => byteToken(texts, character)), ...tail];
}

const byteTokens = new WeakMap<TokenTexts, Map<string, TokenId>>();

/** The lowest token that is exactly this byte. */
function byteToken(texts: TokenTexts, character: string): TokenId {
  let known = byteTokens.get(texts);
  if (known === undefined) {
    known = new Map();
    const size = (texts as { vocabSize?: number }).vocabSize ?? 0;
    for (let id = size - 1; id >= 0; id -= 1) {
      if (!texts.isAdded(id) && texts.tokenBytes(id).length === 1) known.set(textOf(texts, id), id);
    }
    byteTokens.set(texts, known);
  }
  const token = known.get(character);
  if (token === undefined) throw new Error(`the vocabulary has no token for the byte of ${JSON.stringify(character)}`);
  return token;
}
