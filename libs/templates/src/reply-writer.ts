// Writes output events: blanks around reasoning, answer and calls, call indices and ids. Knows no markup.

import { randomUUID } from 'node:crypto';
import type { OutputEvent } from '@tensorfold/protocol';
import type { BlockPart, OfferedTools, ReadCall } from './tool-calls/syntax.ts';

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
export class ReplyWriter {
  readonly #options: WriterOptions;
  #events: OutputEvent[] = [];
  #reasoning = new BlankHolder();
  #content = new BlankHolder();
  #numCalls = 0;
  #endsWithCall = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get numCalls(): number {
    return this.#numCalls;
  }

  /** The reply has the one call it may have. */
  get isSatisfied(): boolean {
    return this.#numCalls > 0 && !this.#options.parallelToolCalls;
  }

  /** Nothing but blanks came after the last call. */
  get endsWithCall(): boolean {
    return this.#endsWithCall;
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

  content(text: string): void {
    const written = this.#content.write(text);
    // Without tools no call can follow, so nothing is held back.
    const held = this.#options.tools.size === 0 && !this.contentIsBlank ? this.#content.release() : '';
    this.#push('content-delta', written + held);
    if (written !== '') this.#endsWithCall = false;
  }

  /** The parts of a block that are calls to offered tools, as calls; the others, and a block without any, as its text. */
  block(parts: readonly BlockPart[] | null, source: string): void {
    const isCall = (part: BlockPart) => part.type === 'call' && this.#options.tools.has(part.name);
    if (parts === null || !parts.some(isCall)) {
      this.content(source);
      return;
    }
    for (const part of parts) {
      if (isCall(part)) this.#call(part as ReadCall);
      else this.content(part.source);
    }
  }

  /** The reply ends: blanks held back are the reply's, unless a call came before them. */
  end(isInReasoning: boolean): void {
    if (isInReasoning) this.#push('reasoning-delta', this.#reasoning.release());
    else if (this.#numCalls === 0) this.#push('content-delta', this.#content.release());
  }

  #call(call: ReadCall): void {
    this.#content.drop();
    if (this.contentIsBlank) this.#content.startPart();
    this.#endsWithCall = true;
    if (this.isSatisfied) return;
    const index = this.#numCalls;
    this.#numCalls += 1;
    this.#events.push({ type: 'tool-call-start', index, id: this.#options.createId(), name: call.name });
    this.#events.push({ type: 'tool-call-delta', index, argumentsText: call.argumentsText });
    this.#events.push({ type: 'tool-call-end', index });
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
