// A stream that is read once as events and gives its whole reply at the end.

import { TruncatedError } from './errors.ts';

/** Folds the wire's frames into events and, when they end, the whole reply. */
export interface Folder<Frame, Event, Reply> {
  push(frame: Frame): readonly Event[];
  /** The reply, or null while its last frame has not come. */
  reply(): Reply | null;
}

export class ReplyStream<Event, Reply> implements AsyncIterable<Event> {
  private readonly events: AsyncGenerator<Event>;
  private readonly controller = new AbortController();
  private whole: Reply | null = null;
  private failure: unknown = null;
  private hasEnded = false;

  constructor(open: (signal: AbortSignal) => AsyncIterable<Event>, reply: () => Reply | null) {
    this.events = this.read(open, reply);
  }

  /** Ends the request; a loop over the events ends by an AbortedError. */
  abort(reason?: unknown): void {
    this.controller.abort(reason);
  }

  [Symbol.asyncIterator](): AsyncIterator<Event> {
    return this.events;
  }

  /** The whole reply; reads what is left of the events. */
  async final(): Promise<Reply> {
    while (!this.hasEnded) await this.events.next();
    if (this.failure !== null) throw this.failure;
    if (this.whole === null) throw new TruncatedError('the stream was left before its end');
    return this.whole;
  }

  /** The events as a web stream. */
  toReadableStream(): ReadableStream<Event> {
    return new ReadableStream<Event>({
      pull: async (controller) => {
        const next = await this.events.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: async () => {
        await this.events.return(undefined);
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.events.return(undefined);
  }

  private async *read(
    open: (signal: AbortSignal) => AsyncIterable<Event>,
    reply: () => Reply | null,
  ): AsyncGenerator<Event> {
    try {
      yield* open(this.controller.signal);
      this.whole = reply();
      if (this.whole === null) throw new TruncatedError('the stream ended before the reply did');
    } catch (error) {
      this.failure = error;
      throw error;
    } finally {
      this.hasEnded = true;
      this.controller.abort();
    }
  }
}
