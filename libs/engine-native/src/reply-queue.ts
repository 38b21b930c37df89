// One reply on its way from the worker to its reader. A reader that falls behind pauses its lane; memory stays bounded.

import { EngineError, RequestError, type TokenEvent } from '@tensorfold/protocol';
import type { LaneReport } from './scheduler/reports.ts';

/** Events that may wait before the lane is paused, and at which it goes on. */
const pauseAt = 128;
const resumeAt = 32;

export class ReplyQueue implements AsyncIterable<TokenEvent> {
  /** The worker has ended the request: nothing to cancel. */
  ended = false;
  private readonly events: TokenEvent[] = [];
  private readonly setPaused: (paused: boolean) => void;
  private error: Error | null = null;
  private paused = false;
  private wake: (() => void) | null = null;

  constructor(setPaused: (paused: boolean) => void) {
    this.setPaused = setPaused;
  }

  take(report: LaneReport): void {
    if (report.pieces.length > 0) this.events.push({ type: 'tokens', pieces: report.pieces });
    if (report.finish !== null) {
      this.ended = true;
      this.events.push({ type: 'finish', ...report.finish });
    }
    if (report.error !== null) {
      this.ended = true;
      const { message, kind, code } = report.error;
      this.error = kind === 'engine' ? new EngineError(message) : new RequestError(message, { code });
    }
    if (!this.paused && !this.ended && this.events.length >= pauseAt) {
      this.paused = true;
      this.setPaused(true);
    }
    this.wake?.();
  }

  /** The reader meets this error at once; what waits is dropped. */
  fail(error: Error): void {
    this.events.length = 0;
    this.error = error;
    this.wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TokenEvent> {
    for (;;) {
      const event = this.events.shift();
      if (event !== undefined) {
        if (this.paused && this.events.length <= resumeAt) {
          this.paused = false;
          this.setPaused(false);
        }
        yield event;
        if (event.type === 'finish') return;
      } else if (this.error !== null) {
        throw this.error;
      } else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        this.wake = null;
      }
    }
  }
}
