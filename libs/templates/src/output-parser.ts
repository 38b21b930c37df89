// TokenEvent -> OutputEvent: think blocks, calls in the family's syntax, and what is left as the answer.
// A call is told when it is whole (docs/decisions, whole-calls); everything else streams as it comes.

import type { OutputEvent, TokenEvent } from '@tensorfold/protocol';
import type { ThinkForm } from './families/index.ts';
import { MarkerScanner, type Marker, type ScannedItem } from './marker-scanner.ts';
import { ReplyWriter, type WriterOptions } from './reply-writer.ts';
import type { CallSyntax } from './tool-calls/syntax.ts';
import type { OutputParser } from './types.ts';

export interface ParserForm {
  readonly think: ThinkForm | null;
  readonly syntax: CallSyntax | null;
  readonly tokenId: (text: string) => number | null;
}

export interface ReplyOptions extends WriterOptions {
  readonly thinkingStartsOpen: boolean;
}

type Finish = Extract<TokenEvent, { type: 'finish' }>;

export class ReplyParser implements OutputParser {
  readonly #think: ThinkForm | null;
  readonly #syntax: CallSyntax | null;
  readonly #options: ReplyOptions;
  readonly #scanner: MarkerScanner;
  readonly #writer: ReplyWriter;
  #isThinking: boolean;
  /** What is left of the label that follows the opening marker. */
  #label = '';
  #numReasoningTokens = 0;
  #numTokens = 0;
  /** The block of calls being read, from its opener on. */
  #block: ScannedItem[] | null = null;
  /** A whole call was read inside the think block: what comes waits for the block's end or the reply's. */
  #thoughtCall = false;
  /** The bare object names an offered tool. */
  #bareCallIsSure = false;
  /** Closers inside strings did not lead to a call: the next one ends the block. */
  #takesFirstCloser = false;

  constructor(form: ParserForm, options: ReplyOptions) {
    this.#think = form.think;
    this.#syntax = options.tools.size > 0 ? form.syntax : null;
    this.#options = options;
    this.#writer = new ReplyWriter(options);
    this.#scanner = new MarkerScanner(markersOf(this.#think, this.#syntax, form.tokenId));
    this.#isThinking = options.thinkingStartsOpen && this.#think !== null;
    if (this.#isThinking) this.#writer.startReasoning();
  }

  push(event: TokenEvent): OutputEvent[] {
    if (event.type === 'finish') return this.#finish(event);
    for (const piece of event.pieces) for (const item of this.#scanner.push(piece)) this.#take(item);
    return this.#writer.takeEvents();
  }

  #take(item: ScannedItem): void {
    if (this.#isThinking) this.#takeThought(item);
    else this.#takeAnswer(item);
    this.#numTokens = item.numTokens;
  }

  // Thinking

  #takeThought(item: ScannedItem): void {
    const { type, text } = item;
    if (type === 'marker' && text === this.#think?.close) return this.#closeThinking(item);
    if (this.#block !== null) return this.#takeThoughtBlock(item, this.#block);
    if (type === 'marker' && text === this.#syntax?.opener) {
      this.#dropLabel();
      this.#block = [item];
      this.#numReasoningTokens = this.#numTokens;
    } else if (type === 'marker') {
      // A second opener right at the start says nothing.
      if (text !== this.#think?.open) this.#writer.reasoning(item.text);
    } else {
      this.#writer.reasoning(this.#withoutLabel(text));
    }
  }

  #takeThoughtBlock(item: ScannedItem, block: ScannedItem[]): void {
    block.push(item);
    const { closer } = this.#syntax!;
    if (this.#thoughtCall || item.type !== 'marker' || item.text !== closer || this.#endsInsideText(block.slice(0, -1)))
      return;
    if (this.#holdsCall(block)) this.#thoughtCall = true;
    else this.#releaseThoughtBlock();
  }

  /** What looked like a call was only mentioned. */
  #releaseThoughtBlock(): void {
    for (const item of this.#block ?? []) this.#writer.reasoning(item.text);
    this.#block = null;
    this.#thoughtCall = false;
  }

  #closeThinking(item: ScannedItem): void {
    this.#releaseThoughtBlock();
    this.#dropLabel();
    this.#isThinking = false;
    this.#numReasoningTokens = item.numTokens;
    this.#writer.endReasoning();
  }

  #openThinking(): void {
    this.#isThinking = true;
    this.#label = this.#think?.label ?? '';
    this.#writer.startReasoning();
  }

  #withoutLabel(text: string): string {
    const label = this.#label;
    if (label === '') return text;
    const length = Math.min(label.length, text.length);
    if (label.slice(0, length) !== text.slice(0, length)) {
      this.#dropLabel();
      return text;
    }
    this.#label = label.slice(length);
    return text.slice(length);
  }

  /** No whole label came: what came of it was the reply's. */
  #dropLabel(): void {
    const whole = this.#think?.label ?? '';
    const begun = this.#label === '' ? '' : whole.slice(0, whole.length - this.#label.length);
    this.#label = '';
    if (begun !== '' && begun.trim() !== whole.trim()) this.#writer.reasoning(begun);
  }

  // Answer

  #takeAnswer(item: ScannedItem): void {
    if (this.#block !== null) return this.#takeBlock(item, this.#block);
    if (item.type === 'marker' && item.text === this.#think?.open && this.#mayOpenThinking())
      return this.#openThinking();
    if (item.type === 'marker' && item.text === this.#syntax?.opener) this.#block = [item];
    else if (this.#startsBareCall(item)) this.#block = [item];
    else this.#writer.content(item.shown);
    this.#checkBareCall();
  }

  #mayOpenThinking(): boolean {
    return this.#think!.reopens || (this.#writer.contentIsBlank && this.#writer.numCalls === 0);
  }

  #startsBareCall(item: ScannedItem): boolean {
    return (
      this.#syntax?.bare === true &&
      this.#writer.contentIsBlank &&
      this.#writer.numCalls === 0 &&
      item.text.trimStart().startsWith('{')
    );
  }

  /** A bare object stays held only as long as it can be a call to an offered tool. */
  #checkBareCall(): void {
    const block = this.#block;
    if (block === null || block[0]!.type === 'marker' || this.#bareCallIsSure) return;
    const text = textOf(block);
    if (!this.#canBeBareCall(text)) this.#releaseBlock();
  }

  #canBeBareCall(text: string): boolean {
    const head = text.replaceAll(/\s/g, '');
    const starts = [...this.#options.tools.keys()].flatMap((name) => {
      const quoted = JSON.stringify(name).replaceAll(/\s/g, '');
      return [`{"name":${quoted}`, `{"type":"function","name":${quoted}`, `{"type":"function","function":`];
    });
    this.#bareCallIsSure = starts.some((start) => head.startsWith(start));
    return this.#bareCallIsSure || starts.some((start) => start.startsWith(head));
  }

  #takeBlock(item: ScannedItem, block: ScannedItem[]): void {
    const { opener, closer } = this.#syntax!;
    const isMarker = item.type === 'marker';
    if (isMarker && item.text === opener && !this.#endsInsideText(block)) {
      this.#resolveBlock(block);
      this.#block = [item];
      return;
    }
    const closes = isMarker && item.text === closer && (this.#takesFirstCloser || !this.#endsInsideText(block));
    block.push(item);
    if (closes) this.#resolveBlock(block);
    else this.#checkBareCall();
  }

  #resolveBlock(block: readonly ScannedItem[]): void {
    const text = textOf(block);
    this.#block = null;
    this.#takesFirstCloser = false;
    this.#writer.block(this.#syntax!.read(text, this.#options.tools), text);
  }

  #releaseBlock(): void {
    for (const item of this.#block ?? []) this.#writer.content(item.text);
    this.#block = null;
  }

  #holdsCall(block: readonly ScannedItem[]): boolean {
    const parts = this.#syntax!.read(textOf(block), this.#options.tools);
    return parts?.some((part) => part.type === 'call' && this.#options.tools.has(part.name)) ?? false;
  }

  #endsInsideText(block: readonly ScannedItem[]): boolean {
    return this.#syntax!.endsInsideText(textOf(block));
  }

  // End

  #finish(event: Finish): OutputEvent[] {
    for (const item of this.#scanner.end()) this.#take(item);
    const isStillThinking = this.#isThinking && !this.#endThoughtBlock(event);
    if (isStillThinking) this.#dropLabel();
    const isCut = this.#endBlock(event);
    this.#writer.end(isStillThinking);
    const completionTokens = event.stats.completionTokens;
    const reasoningTokens = isStillThinking ? completionTokens : Math.min(this.#numReasoningTokens, completionTokens);
    const isCalling = this.#writer.numCalls > 0 && !isCut && (event.reason === 'stop' || this.#writer.endsWithCall);
    const reason = isCalling ? 'tool_calls' : event.reason;
    return [...this.#writer.takeEvents(), { type: 'finish', reason, stats: event.stats, reasoningTokens }];
  }

  /** The reply ends inside its think block: a call written there is the reply's call, and reasoning ended before it. */
  #endThoughtBlock(event: Finish): boolean {
    const block = this.#block;
    if (block === null) return false;
    const isCut = !this.#thoughtCall && event.reason === 'length';
    if (!this.#thoughtCall && !isCut && !this.#holdsCall(this.#closed(block))) {
      this.#releaseThoughtBlock();
      return false;
    }
    this.#block = null;
    this.#isThinking = false;
    this.#writer.endReasoning();
    for (const item of block) this.#takeAnswer(item);
    return true;
  }

  /** A block without its closer: whole but for the closer, it is read; cut by the limit, it is text. True where it was cut. */
  #endBlock(event: Finish): boolean {
    // The calls after the one that is returned are left out, whole or not.
    if (this.#writer.isSatisfied) this.#block = null;
    let isCut = false;
    while (this.#block !== null) {
      const block = this.#block;
      const { closesEach, closer } = this.#syntax!;
      const isLimited = event.reason === 'length' && !closesEach;
      if (!isLimited && this.#holdsCall(this.#closed(block))) {
        this.#writer.block(this.#syntax!.read(textOf(this.#closed(block)), this.#options.tools), textOf(block));
        this.#block = null;
        return event.reason === 'length';
      }
      // A closer that stood in a string may have ended the block after all.
      const end = block.findIndex((item) => item.type === 'marker' && item.text === closer);
      this.#block = null;
      if (end < 0) {
        this.#writer.content(textOf(block));
        return event.reason === 'length';
      }
      isCut = event.reason === 'length';
      this.#resolveBlock(block.slice(0, end + 1));
      for (const item of block.slice(end + 1)) this.#takeAnswer(item);
    }
    return isCut;
  }

  #closed(block: readonly ScannedItem[]): readonly ScannedItem[] {
    const { closer } = this.#syntax!;
    if (closer === null) return block;
    return [...block, { type: 'marker', text: closer, shown: closer, numTokens: this.#numTokens }];
  }
}

function textOf(items: readonly ScannedItem[]): string {
  return items.map(({ text }) => text).join('');
}

function markersOf(think: ThinkForm | null, syntax: CallSyntax | null, tokenId: ParserForm['tokenId']): Marker[] {
  const texts = new Set<string>();
  if (think !== null) for (const text of [think.open, think.close]) texts.add(text);
  if (syntax !== null) {
    for (const text of [syntax.opener, ...(syntax.closer === null ? [] : [syntax.closer]), ...syntax.inner])
      texts.add(text);
  }
  return [...texts].map((text) => ({ text, id: tokenId(text) }));
}
