// The main thread's end of the engine worker: starts it, passes commands and reports, and starts it again if it dies.

import { Worker } from 'node:worker_threads';
import { EngineError } from '@tensorfold/protocol';
import type { Command, Report, WorkerCard } from './scheduler/reports.ts';
import type { WorkerInput } from './scheduler/worker-loop.ts';

export interface WorkerEvents {
  onReport(report: Extract<Report, { type: 'round' }>): void;
  /** The worker died by itself: every request it had is lost. */
  onCrash(reason: string): void;
  onReady(card: WorkerCard): void;
}

/** Restarts in a row, each without a finished round between, after which the engine stays down. */
const maxRestarts = 3;

export class EngineWorker {
  private readonly input: WorkerInput;
  private readonly events: WorkerEvents;
  private worker: Worker | null = null;
  private closing = false;
  private restarts = 0;

  constructor(input: WorkerInput, events: WorkerEvents) {
    this.input = input;
    this.events = events;
  }

  /** Resolves when the model is loaded. Rejects with an EngineError that says why it is not. */
  start(): Promise<WorkerCard> {
    return new Promise((resolve, reject) => {
      const fromSource = import.meta.url.endsWith('.ts');
      const entry = new URL(fromSource ? './scheduler/worker-source.mjs' : './scheduler/worker.js', import.meta.url);
      const worker = new Worker(entry, {
        workerData: this.input,
        name: 'tensorfold-engine',
        // Sources run through tsx; published packages hold JavaScript.
        ...(fromSource ? { execArgv: ['--conditions=@tensorfold/source'] } : {}),
      });
      this.worker = worker;
      let ready = false;
      let reason = 'the engine worker ended';
      worker.on('message', (report: Report) => {
        if (report.type === 'ready') {
          ready = true;
          this.events.onReady(report.card);
          resolve(report.card);
        } else if (report.type === 'failed') {
          reason = report.message;
        } else {
          this.restarts = 0;
          this.events.onReport(report);
        }
      });
      worker.on('error', (error) => {
        reason = error.message;
      });
      worker.on('exit', () => {
        if (this.worker === worker) this.worker = null;
        if (!ready) reject(new EngineError(reason));
        if (ready && !this.closing) this.restart(reason);
      });
    });
  }

  post(command: Command): void {
    this.worker?.postMessage(command);
  }

  /** Asks the worker to end after its round, and waits until it has. */
  async close(): Promise<void> {
    this.closing = true;
    const worker = this.worker;
    if (worker === null) return;
    const ended = new Promise<void>((resolve) => {
      worker.once('exit', () => resolve());
    });
    worker.postMessage({ type: 'close' } satisfies Command);
    await ended;
  }

  /** Ends the thread at once, as a crash would. For tests. */
  async kill(): Promise<void> {
    await this.worker?.terminate();
  }

  private restart(reason: string): void {
    this.events.onCrash(reason);
    this.restarts += 1;
    if (this.restarts > maxRestarts) return;
    this.start().catch((error: Error) => this.events.onCrash(error.message));
  }
}
