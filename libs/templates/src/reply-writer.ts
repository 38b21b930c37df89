// Writes output events: blanks around reasoning, answer and calls, call indices and ids. Knows no markup.

import { randomUUID } from 'node:crypto';
import type { OutputEvent } from '@tensorfold/protocol';
import type { CallSink } from './call-block.ts';
import type { OfferedTools } from './tool-calls/syntax.ts';

export interface WriterOptions {
  readonly tools: OfferedTools;
  /** false: the first call only. */
  readonly parallelToolCalls: boolean;
  readonly createId: () => string;
}

export function createCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

/** Blanks at the end of reasoning and of answer text before a call belong to the markup and are dropped; others stay. */
export class ReplyWriter implements CallSink {
  readonly #options: WriterOptions;
  #events: OutputEvent[] = [];
  #reasoning = new BlankHolder();
  #content = new BlankHolder();
  #numStarted = 0;
  #numCalls = 0;
  /**
   * A call that is not told yet. It waits for the start of its arguments, so that one broken off never looks like a call
   * without any; in a reply that may have one call only, for its end, as another may have to take its place.
   */
  #pending: { readonly name: string; argumentsText: string } | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Whole ones. */
  get numCalls(): number {
    return this.#numCalls;
  }

  /** The reply has the one call it may have. */
  get isSatisfied(): boolean {
    return this.#numCalls > 0 && !this.#options.parallelToolCalls;
  }

  /** No answer yet, blanks aside. */
  get contentIsBlank(): boolean {
    return !this.#content.hasText;
  }

  takeEvents(): OutputEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  reasoning(text: string): void {
    this.#push('reasoning-delta', this.#reasoning.write(text));
  }

  startReasoning(): void {
    if (this.contentIsBlank) this.#content.drop();
    this.#reasoning.startPart();
  }

  /** After a think block: the blank line before the answer is the template's. */
  endReasoning(): void {
    this.#reasoning.drop();
    if (this.contentIsBlank) this.#content.startPart();
  }

  text(text: string): void {
    const written = this.#content.write(text);
    // Without tools no call can follow, so nothing is held back.
    const held = this.#options.tools.size === 0 && !this.contentIsBlank ? this.#content.release() : '';
    this.#push('content-delta', written + held);
  }

  startCall(name: string): void {
    this.#pending = { name, argumentsText: '' };
  }

  callArguments(text: string): void {
    if (this.#pending === null) return this.#pushArguments(text);
    this.#pending.argumentsText += text;
    if (this.#options.parallelToolCalls && this.#pending.argumentsText !== '') this.#tellPending();
  }

  endCall(): void {
    // Only now: if the call had been none, the blanks before it would have been the text's.
    this.#content.drop();
    if (this.contentIsBlank) this.#content.startPart();
    if (this.isSatisfied) {
      this.#pending = null;
      return;
    }
    this.#tellPending();
    this.#numCalls += 1;
    this.#events.push({ type: 'tool-call-end', index: this.#numStarted - 1 });
  }

  abandonCall(): void {
    if (this.#pending === null) this.#events.push({ type: 'tool-call-abandon', index: this.#numStarted - 1 });
    this.#pending = null;
  }

  /** The reply ends: blanks held back are the reply's, unless a call came before them. */
  end(isInReasoning: boolean): void {
    if (isInReasoning) this.#push('reasoning-delta', this.#reasoning.release());
    else if (this.#numCalls === 0) this.#push('content-delta', this.#content.release());
  }

  #tellPending(): void {
    const pending = this.#pending;
    if (pending === null) return;
    this.#pending = null;
    const { name, argumentsText } = pending;
    this.#events.push({ type: 'tool-call-start', index: this.#numStarted, id: this.#options.createId(), name });
    this.#numStarted += 1;
    this.#pushArguments(argumentsText);
  }

  #pushArguments(text: string): void {
    const last = this.#events.at(-1);
    const before = last?.type === 'tool-call-delta' ? last.argumentsText : null;
    if (before !== null) this.#events.pop();
    this.#events.push({ type: 'tool-call-delta', index: this.#numStarted - 1, argumentsText: (before ?? '') + text });
  }

  #push(type: 'reasoning-delta' | 'content-delta', text: string): void {
    if (text === '') return;
    const last = this.#events.at(-1);
    if (last?.type === type) this.#events[this.#events.length - 1] = { type, text: last.text + text };
    else this.#events.push({ type, text });
  }
}

/** Passes text on, but holds blanks at its end until more text follows. */
class BlankHolder {
  #held = '';
  #trimsStart = false;
  #hasText = false;

  get hasText(): boolean {
    return this.#hasText;
  }

  /** Blanks before the next text are dropped. */
  startPart(): void {
    this.#held = '';
    this.#trimsStart = true;
  }

  write(text: string): string {
    const all = this.#held + text;
    const end = all.trimEnd().length;
    this.#held = all.slice(end);
    if (end === 0) return '';
    const start = this.#trimsStart ? end - all.slice(0, end).trimStart().length : 0;
    this.#trimsStart = false;
    this.#hasText = true;
    return all.slice(start, end);
  }

  release(): string {
    const held = this.#trimsStart ? '' : this.#held;
    this.#held = '';
    return held;
  }

  drop(): void {
    this.#held = '';
  }
}
