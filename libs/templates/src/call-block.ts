// One block of calls as it comes: what its reader finds goes to a sink as calls, the rest as text.

import type { CallEvent, CallReader, OfferedTools } from './tool-calls/syntax.ts';

export interface CallSink {
  startCall(name: string): void;
  callArguments(text: string): void;
  endCall(): void;
  /** The call that was started is none after all; its text follows. */
  abandonCall(): void;
  text(text: string): void;
}

export class CallBlock {
  readonly #reader: CallReader;
  readonly #tools: OfferedTools;
  readonly #sink: CallSink;
  /** Opener and all that was read. */
  #source: string;
  readonly #openerLength: number;
  /** What stands before is told. */
  #told = 0;
  #isCalling = false;
  #endsWithCall = false;
  #numCalls = 0;

  constructor(opener: string, reader: CallReader, tools: OfferedTools, sink: CallSink) {
    this.#source = opener;
    this.#openerLength = opener.length;
    this.#reader = reader;
    this.#tools = tools;
    this.#sink = sink;
  }

  get state(): CallReader['state'] {
    return this.#reader.state;
  }

  get isInsideText(): boolean {
    return this.#reader.isInsideText;
  }

  /** Whole calls to offered tools. */
  get numCalls(): number {
    return this.#numCalls;
  }

  /** Nothing but markup came after the last whole call. */
  get endsWithCall(): boolean {
    return this.#endsWithCall;
  }

  /** How much of the source, opener included, is told: as calls or as text. */
  get numTold(): number {
    return this.#told;
  }

  push(text: string, isMarker: boolean): void {
    this.#source += text;
    for (const event of this.#reader.push(text, isMarker)) this.#take(event);
  }

  /** The block's own closer. Its text is the calls' markup, or shown with what is no call. */
  pushCloser(text: string): void {
    this.#source += text;
  }

  /** The block ends. False where it ends inside a call, or in what is none: that is still to be released. */
  finish(isCut = false): boolean {
    for (const event of this.#reader.close(isCut)) this.#take(event);
    if (this.#reader.state === 'broken') return false;
    if (!this.#endsWithCall) this.release();
    return true;
  }

  /** What is not told yet, up to `end`, is text. */
  release(end = this.#source.length): void {
    this.#show(end);
  }

  #take(event: CallEvent): void {
    switch (event.type) {
      case 'name':
        if (!this.#tools.has(event.name)) return;
        this.#isCalling = true;
        this.#sink.startCall(event.name);
        return;
      case 'arguments':
        if (this.#isCalling) this.#sink.callArguments(event.text);
        return;
      case 'end':
        return this.#endCall(this.#openerLength + event.at);
      case 'failed':
        return this.#show(this.#openerLength + event.at);
      case 'skip':
        if (this.#endsWithCall) this.#told = this.#openerLength + event.at;
    }
  }

  #endCall(end: number): void {
    if (!this.#isCalling) return this.#show(end);
    this.#isCalling = false;
    this.#numCalls += 1;
    this.#endsWithCall = true;
    this.#told = end;
    this.#sink.endCall();
  }

  #show(end: number): void {
    if (this.#isCalling) this.#sink.abandonCall();
    this.#isCalling = false;
    this.#endsWithCall = false;
    const text = this.#source.slice(this.#told, end);
    this.#told = end;
    if (text !== '') this.#sink.text(text);
  }
}
