// The engine's loop: commands in, one round after the other, one batch of reports a round. Runs in the worker thread, or
// in tests beside it.

import { addon, type NativeModel } from '../binding.ts';
import type { ModelSpec } from '../checkpoint/model-spec.ts';
import { DraftModel } from '../draft/draft-model.ts';
import { type KvDtype, numericName } from '../kv-dtype.ts';
import { TokenTable, type TokenTableData } from '../tokenizer/token-table.ts';
import type { Command, Report, WorkerCard } from './reports.ts';
import { Scheduler, type SchedulerSettings } from './scheduler.ts';

/** All a worker needs to load a model. Plain data. */
export interface WorkerInput {
  readonly spec: ModelSpec;
  readonly texts: TokenTableData | null;
  readonly threads: number;
  readonly kernel: string;
  readonly numPages: number;
  readonly windowTokens: number;
  /** Null: the checkpoint's own. */
  readonly kvDtype: KvDtype | null;
  readonly settings: SchedulerSettings;
  /** A smaller checkpoint of the same tokenizer, or null. */
  readonly drafter: { readonly spec: ModelSpec; readonly numPages: number } | null;
}

export class WorkerLoop {
  readonly card: WorkerCard;
  readonly scheduler: Scheduler;
  private readonly model: NativeModel;
  private readonly draftModel: DraftModel | null = null;
  private readonly post: (report: Report) => void;

  /** Loads the model. Throws what the addon says. */
  constructor(input: WorkerInput, post: (report: Report) => void) {
    const { spec, threads, kernel, numPages, settings } = input;
    this.post = post;
    const kvDtype = input.kvDtype ?? '';
    this.model = addon().loadModel(spec, { threads, kernel, numPages, kvDtype, fault: settings.fault });
    const texts = input.texts === null ? null : new TokenTable(input.texts);
    let memoryBytes = this.model.weightBytes + this.model.numPages * this.model.pageBytes;
    if (input.drafter !== null) {
      const { spec: draftSpec, numPages: draftPages } = input.drafter;
      const drafter = addon().loadModel(draftSpec, { threads, kernel, numPages: draftPages, kvDtype });
      memoryBytes += drafter.weightBytes + drafter.numPages * drafter.pageBytes;
      this.draftModel = new DraftModel(drafter, Math.min(spec.vocabSize, draftSpec.vocabSize));
    }
    this.scheduler = new Scheduler(this.model, texts, settings, () => performance.now() / 1000, this.draftModel);
    this.card = {
      kernel: this.model.kernel,
      threads: this.model.threads,
      numericVersion: numericName(addon().numericVersion, spec, input.kvDtype),
      lanes: settings.lanes,
      windowTokens: input.windowTokens,
      memoryBytes,
    };
  }

  /** Takes one command. False once the engine is to close. */
  take(command: Command): boolean {
    switch (command.type) {
      case 'submit':
        this.scheduler.submit(command.submission);
        return true;
      case 'cancel':
        this.scheduler.cancel(command.id);
        return true;
      case 'pause':
        this.scheduler.pause(command.id, command.paused);
        return true;
      case 'close':
        this.model.close();
        this.draftModel?.close();
        return false;
    }
  }

  /** One round, and its reports. False where there is nothing to run. */
  round(): boolean {
    const ran = this.scheduler.round();
    const lanes = this.scheduler.takeReports();
    this.post({ type: 'round', lanes, counters: this.scheduler.counters() });
    return ran;
  }
}
