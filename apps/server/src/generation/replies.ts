// The replies that run: each ends when its client leaves, and a drain waits for all of them.

import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { RequestError, type OutputEvent } from '@tensorfold/protocol';
import type { Counters, Route } from '../health/counters.ts';
import type { LoadedModel } from '../models/registry.ts';
import { generate } from './generate.ts';
import type { GenerationPlan } from './plan.ts';

export interface RunningReply {
  readonly events: AsyncGenerator<OutputEvent>;
  /** Aborted when the client left, or when the server gives up waiting for the reply. */
  readonly signal: AbortSignal;
}

export class Replies {
  private readonly counters: Counters;
  private readonly running = new Map<AbortController, Promise<unknown>>();
  private isClosed = false;

  constructor(counters: Counters) {
    this.counters = counters;
  }

  /** Starts a reply to this HTTP exchange. RequestError (503) when the server is going away. */
  run(route: Route, plan: GenerationPlan, model: LoadedModel, reply: FastifyReply): RunningReply {
    this.refuseWhenClosed();
    const controller = new AbortController();
    const { signal } = controller;
    const { raw } = reply;
    const ended = once(raw, 'close').catch(() => {});
    this.running.set(controller, ended);
    raw.once('close', () => {
      this.running.delete(controller);
      if (!raw.writableFinished) controller.abort(new ClientLeft());
    });
    return { events: this.counters.watch(route, generate(plan, model, signal), signal), signal };
  }

  /** RequestError (503) once `close` was called: nothing new starts. */
  refuseWhenClosed(): void {
    if (!this.isClosed) return;
    throw new RequestError('the server is shutting down; send the request again', {
      status: 503,
      type: 'server_error',
      code: 'shutting_down',
    });
  }

  /** Takes no more, waits for what runs, and after `timeoutMs` ends it: with an error event, where it streams. */
  async close(timeoutMs: number): Promise<void> {
    this.isClosed = true;
    await this.allEnd(timeoutMs);
    for (const controller of this.running.keys()) controller.abort(new ShutdownError());
    await this.allEnd(FAREWELL_MS);
  }

  private async allEnd(timeoutMs: number): Promise<void> {
    if (this.running.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([Promise.all(this.running.values()), late]);
    clearTimeout(timer);
  }
}

/** Time for the last words of replies that were ended. */
const FAREWELL_MS = 1000;

class ShutdownError extends RequestError {
  constructor() {
    super('the server shut down before the reply ended', { status: 503, type: 'server_error', code: 'shutting_down' });
  }
}

/** What ends a reply that nobody reads any more: no fault of ours. */
export class ClientLeft extends Error {
  constructor() {
    super('the client left');
  }
}

/** Nobody reads this reply any more; one ended by a shutdown still has its reader. */
export function clientLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof ShutdownError);
}
