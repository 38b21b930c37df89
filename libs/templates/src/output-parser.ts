// TokenEvent -> OutputEvent: think blocks, calls in the family's syntax, and what is left as the answer.
// Everything is told as it comes, calls too (docs/decisions, streamed-calls); only a call inside a think block waits.

import type { OutputEvent, TokenEvent } from '@tensorfold/protocol';
import { CallBlock, type CallSink } from './call-block.ts';
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

/** A block of calls and what it was read from, opener first. */
interface OpenBlock {
  readonly calls: CallBlock;
  readonly items: ScannedItem[];
}

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
  #block: OpenBlock | null = null;
  /** The same inside a think block: what is read waits for that block's end or the reply's. */
  #thought: OpenBlock | null = null;
  /** The start of what may be a call without an opener. */
  #bare: ScannedItem[] | null = null;
  /** The block ended before its closer: where that comes after all, it is dropped with the calls or shown with the text. */
  #lateCloser: 'drop' | 'show' | null = null;

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
    this.#takeAgain(item);
    this.#numTokens = item.numTokens;
  }

  /** Also of what was held as part of a block that is none. */
  #takeAgain(item: ScannedItem): void {
    if (this.#isThinking) this.#takeThought(item);
    else this.#takeAnswer(item);
  }

  #isOpener({ type, text }: ScannedItem): boolean {
    return type === 'marker' && text === this.#syntax?.opener;
  }

  #isCloser({ type, text }: ScannedItem): boolean {
    return type === 'marker' && text === this.#syntax?.closer;
  }

  #openBlock(items: ScannedItem[], sink: CallSink): OpenBlock {
    const [first, ...others] = items;
    const opener = this.#isOpener(first!) ? first!.text : '';
    const reader = this.#syntax!.createReader(this.#options.tools);
    const calls = new CallBlock(opener, reader, this.#options.tools, sink);
    for (const item of opener === '' ? items : others) calls.push(item.text, item.type === 'marker');
    return { calls, items };
  }

  // Thinking

  #takeThought(item: ScannedItem): void {
    if (item.type === 'marker' && item.text === this.#think?.close) return this.#closeThinking(item);
    if (this.#thought !== null) return this.#takeThoughtBlock(item, this.#thought);
    if (this.#isOpener(item)) {
      this.#dropLabel();
      this.#thought = this.#openBlock([item], nowhere);
      this.#numReasoningTokens = this.#numTokens;
    } else if (item.type === 'marker') {
      // A second opener right at the start says nothing.
      if (item.text !== this.#think?.open) this.#writer.reasoning(item.text);
    } else {
      this.#writer.reasoning(this.#withoutLabel(item.text));
    }
  }

  #takeThoughtBlock(item: ScannedItem, { calls, items }: OpenBlock): void {
    items.push(item);
    if (calls.numCalls > 0) return;
    const endsBlock = (this.#isOpener(item) || this.#isCloser(item)) && !calls.isInsideText;
    if (endsBlock) calls.finish();
    else calls.push(item.text, item.type === 'marker');
    if (calls.numCalls > 0 || (!endsBlock && calls.state === 'open')) return;
    // Only mentioned. What stands behind its end may be meant.
    const end = this.#isOpener(item) ? items.length - 2 : items.findIndex((each) => this.#isCloser(each));
    const mentioned = end < 0 ? items : items.slice(0, end + 1);
    this.#thought = null;
    for (const each of mentioned) this.#writer.reasoning(each.text);
    for (const each of items.slice(mentioned.length)) this.#takeAgain(each);
  }

  #releaseThought(): void {
    for (const item of this.#thought?.items ?? []) this.#writer.reasoning(item.text);
    this.#thought = null;
  }

  #closeThinking(item: ScannedItem): void {
    this.#releaseThought();
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
    if (this.#bare !== null) return this.#takeBare(item, this.#bare);
    if (item.type === 'marker' && item.text === this.#think?.open && this.#mayOpenThinking())
      return this.#openThinking();
    const lateCloser = this.#isCloser(item) ? this.#lateCloser : null;
    if (lateCloser !== null) this.#lateCloser = null;
    if (this.#isOpener(item)) this.#startBlock([item]);
    else if (this.#startsBareCall(item)) this.#takeBare(item, []);
    else if (lateCloser !== 'drop') this.#writer.text(lateCloser === 'show' ? item.text : item.shown);
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
  #takeBare(item: ScannedItem, held: readonly ScannedItem[]): void {
    const items = [...held, item];
    this.#bare = null;
    const head = textOf(items).replaceAll(/\s/g, '');
    const starts = this.#bareStarts();
    if (starts.some((start) => head.startsWith(start))) return this.#startBlock(items);
    if (starts.some((start) => start.startsWith(head))) this.#bare = items;
    else this.#writer.text(textOf(items));
  }

  /** What a call to an offered tool begins with, blanks left out. */
  #bareStarts(): string[] {
    return [...this.#options.tools.keys()].flatMap((name) => {
      const quoted = JSON.stringify(name).replaceAll(/\s/g, '');
      return [`{"name":${quoted}`, `{"type":"function","name":${quoted}`, `{"type":"function","function":`];
    });
  }

  #startBlock(items: ScannedItem[]): void {
    this.#lateCloser = null;
    this.#block = this.#openBlock(items, this.#writer);
    this.#settle(this.#block);
  }

  #takeBlock(item: ScannedItem, block: OpenBlock): void {
    const { calls, items } = block;
    if (this.#isOpener(item) && !calls.isInsideText) {
      this.#endBlock(block);
      return this.#takeAnswer(item);
    }
    items.push(item);
    if (this.#isCloser(item) && !calls.isInsideText) {
      calls.pushCloser(item.text);
      this.#endBlock(block);
    } else {
      calls.push(item.text, item.type === 'marker');
      this.#settle(block);
    }
  }

  /** Leaves a block that can hold no further call. */
  #settle(block: OpenBlock): void {
    const { state } = block.calls;
    if (state === 'broken') this.#breakBlock(block);
    if (state !== 'over') return;
    block.calls.release();
    this.#block = null;
    this.#lateCloser = block.calls.numCalls > 0 ? 'drop' : 'show';
  }

  /** True where a call was left unfinished. */
  #endBlock(block: OpenBlock, isCut = false): boolean {
    this.#block = null;
    if (block.calls.finish(isCut)) return false;
    this.#breakBlock(block);
    return true;
  }

  /** What was read since the last whole call is text. A closer that seemed to stand in an argument was the block's after all. */
  #breakBlock({ calls, items }: OpenBlock): void {
    this.#block = null;
    const { numTold } = calls;
    let end = 0;
    const last = items.findIndex((item) => {
      const start = end;
      end += item.text.length;
      return this.#isCloser(item) && start >= numTold;
    });
    calls.release(last < 0 ? undefined : end);
    if (last < 0) this.#lateCloser = 'show';
    else for (const item of items.slice(last + 1)) this.#takeAgain(item);
  }

  // End

  #finish(event: Finish): OutputEvent[] {
    for (const item of this.#scanner.end()) this.#take(item);
    const isLimited = event.reason === 'length';
    const isCut = this.#endAll(isLimited) && isLimited;
    const isStillThinking = this.#isThinking;
    if (isStillThinking) this.#dropLabel();
    this.#writer.end(isStillThinking);
    const completionTokens = event.stats.completionTokens;
    const reasoningTokens = isStillThinking ? completionTokens : Math.min(this.#numReasoningTokens, completionTokens);
    const reason = this.#writer.numCalls > 0 && !isCut ? 'tool_calls' : event.reason;
    return [...this.#writer.takeEvents(), { type: 'finish', reason, stats: event.stats, reasoningTokens }];
  }

  /** Ends what is open, and what that opens as it is read again. True where the reply ends inside a call. */
  #endAll(isLimited: boolean): boolean {
    let isUnfinished = false;
    while ((this.#isThinking && this.#endThought(isLimited)) || this.#block !== null || this.#bare !== null)
      isUnfinished = this.#endAnswer(isLimited) || isUnfinished;
    return isUnfinished;
  }

  /** The reply ends inside its think block: a call written there is the reply's call, and reasoning ended before it. */
  #endThought(isLimited: boolean): boolean {
    const thought = this.#thought;
    if (thought === null) return false;
    // Cut while it was written, it is no thought either: reasoning never shows a call's markup.
    if (!isLimited) thought.calls.finish();
    if (!isLimited && thought.calls.numCalls === 0) {
      this.#releaseThought();
      return false;
    }
    this.#thought = null;
    this.#isThinking = false;
    // The block's opener comes first: a call, whose end drops the blanks around it, or text that begins with no blank.
    for (const item of thought.items) this.#takeAgain(item);
    return true;
  }

  #endAnswer(isLimited: boolean): boolean {
    if (this.#bare !== null) this.#writer.text(textOf(this.#bare));
    this.#bare = null;
    // The calls after the one that is returned are left out, whole or not.
    if (this.#writer.isSatisfied) this.#block = null;
    return this.#block !== null && this.#endBlock(this.#block, isLimited);
  }
}

const nowhere: CallSink = {
  startCall() {},
  callArguments() {},
  endCall() {},
  abandonCall() {},
  text() {},
};

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
