// Random traffic on a scheduler, and the solo serial run that each request must equal, logits included.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GenerationRequest, TokenId } from '@tensorfold/protocol';
import { type TinyModelOptions, writeTinyModel } from '../../../tools/tiny-model/tiny-model.ts';
import { addon, type NativeModel } from '../src/binding.ts';
import { type Checkpoint, loadCheckpoint } from '../src/checkpoint/checkpoint.ts';
import { DraftModel } from '../src/draft/draft-model.ts';
import type { Draft } from '../src/draft/drafter.ts';
import type { KvDtype } from '../src/kv-dtype.ts';
import { Lane } from '../src/scheduler/lane.ts';
import type { Finish } from '../src/scheduler/reports.ts';
import { type Fault, Scheduler } from '../src/scheduler/scheduler.ts';
import { TokenTable, tokenTableData } from '../src/tokenizer/token-table.ts';
import { uniform } from './rule2.ts';

export interface Reply {
  readonly ids: readonly TokenId[];
  readonly sha: string;
  readonly text: string;
  readonly reason: string;
  /** Hash of the logits that each token was drawn from, by position. */
  readonly logits: Map<number, string>;
}

export interface TrafficSettings {
  readonly lanes: number;
  readonly chunkTokens: number;
  readonly decodeShare: number;
  readonly numPages: number;
  readonly threads: number;
  readonly kvDtype?: KvDtype;
  readonly fault?: Fault;
  /** Guesses come from this checkpoint too. */
  readonly drafter?: Checkpoint;
  /** Chance a round of each disturbance. */
  readonly disturb: number;
  readonly seed: bigint;
}

const folder = mkdtempSync(join(tmpdir(), 'tensorfold-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let numCheckpoints = 0;

export function tinyCheckpoint(options: TinyModelOptions): Checkpoint {
  const path = join(folder, `tiny-${(numCheckpoints += 1)}.gguf`);
  writeTinyModel(path, options);
  return loadCheckpoint(path);
}

export class Dice {
  private count = 0;
  private readonly seed: bigint;

  constructor(seed: bigint) {
    this.seed = seed;
  }

  next(): number {
    return uniform(this.seed, (this.count += 1), 0);
  }

  /** A whole number in [low, high]. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!;
  }
}

/** Requests that share beginnings, of all lengths, greedy and sampled, some with stop strings. */
export function randomRequests(count: number, dice: Dice): GenerationRequest[] {
  const words = Array.from({ length: 6 }, () => Array.from({ length: dice.whole(1, 90) }, () => dice.whole(32, 250)));
  return Array.from({ length: count }, (_, index) => {
    const prompt: TokenId[] = [];
    for (let left = dice.whole(1, 3); left > 0; left -= 1) prompt.push(...dice.pick(words));
    if (dice.next() < 0.5) prompt.push(...Array.from({ length: dice.whole(1, 20) }, () => dice.whole(32, 250)));
    const greedy = dice.next() < 0.4;
    return {
      prompt,
      maxTokens: dice.pick([1, 2, 5, 13, 30]),
      // The seed names the request: draws are told apart by it.
      sampling: {
        temperature: greedy ? 0 : dice.pick([0.3, 0.8, 1.5]),
        topP: dice.pick([1, 0.9]),
        topK: dice.pick([0, 20]),
        minP: dice.pick([0, 0.02]),
        seed: BigInt(index),
      },
      stop: dice.next() < 0.2 ? [dice.pick(['a', 'e ', 'th'])] : [],
      ignoreEos: dice.next() < 0.5,
      draft: true,
      priority: dice.next() < 0.3 ? ('background' as const) : ('foreground' as const),
      cacheSalt: dice.next() < 0.1 ? 'tenant' : '',
      thinking:
        dice.next() < 0.15
          ? { startsOpen: true, openId: 300, closeId: 301, budgetTokens: 4, closeIds: [10, 301, 10] }
          : null,
      forcedToolCall: null,
    };
  });
}

/** Next turns: each takes up a request and its whole reply, and goes on. */
export function nextTurns(
  requests: readonly GenerationRequest[],
  solo: readonly Reply[],
  dice: Dice,
): GenerationRequest[] {
  return requests.map((request, index) => ({
    ...request,
    prompt: [
      ...request.prompt,
      ...solo[index]!.ids,
      ...Array.from({ length: dice.whole(1, 9) }, () => dice.whole(32, 250)),
    ],
    sampling: { ...request.sampling, seed: BigInt(requests.length + index) },
  }));
}

/** First turns and next turns with what each must equal. */
export function conversations(
  checkpoint: Checkpoint,
  count: number,
  dice: Dice,
  kvDtype?: KvDtype,
): { requests: GenerationRequest[]; solo: Reply[] } {
  const first = randomRequests(count, dice);
  const firstSolo = soloReplies(checkpoint, first, kvDtype);
  const requests = [...first, ...nextTurns(first, firstSolo, dice)];
  return { requests, solo: soloReplies(checkpoint, requests, kvDtype) };
}

/** Time that passes as the dice say: what the policies make of it is random, and the same on every machine. */
function randomClock(dice: Dice): () => number {
  let seconds = 0;
  return () => (seconds += dice.next() * 0.002);
}

class Harness {
  readonly scheduler: Scheduler;
  readonly logits = new Map<bigint, Map<number, string>>();
  private readonly model: NativeModel;
  private readonly draftModel: DraftModel | null;
  private readonly texts = new Map<number, { text: string; ids: TokenId[] }>();

  constructor(checkpoint: Checkpoint, settings: TrafficSettings) {
    const { spec, tokenizer } = checkpoint;
    this.model = addon().loadModel(spec, {
      threads: settings.threads,
      kernel: '',
      numPages: settings.numPages,
      kvDtype: settings.kvDtype ?? '',
      fault: settings.fault ?? '',
    });
    const drafter = settings.drafter?.spec;
    this.draftModel =
      drafter === undefined
        ? null
        : new DraftModel(addon().loadModel(drafter, { threads: 1, kernel: '', numPages: 20 }), spec.vocabSize);
    const table = tokenizer === null ? null : new TokenTable(tokenTableData(tokenizer, spec.vocabSize));
    this.scheduler = new Scheduler(
      this.recorded(),
      table,
      {
        lanes: settings.lanes,
        chunkTokens: settings.chunkTokens,
        decodeShare: settings.decodeShare,
        seedSalt: '',
        endTokenIds: spec.endTokenIds,
        fault: settings.fault ?? '',
      },
      randomClock(new Dice(settings.seed + 1000n)),
      this.draftModel,
    );
  }

  /** Finished and failed replies since the last call, by id. */
  collect(): { done: Map<number, { finish: Finish; text: string; ids: TokenId[] }>; failed: Map<number, string> } {
    const done = new Map<number, { finish: Finish; text: string; ids: TokenId[] }>();
    const failed = new Map<number, string>();
    for (const report of this.scheduler.takeReports()) {
      const known = this.texts.get(report.id) ?? { text: '', ids: [] };
      this.texts.set(report.id, known);
      known.text += report.pieces.map((piece) => piece.text).join('');
      known.ids.push(...report.pieces.flatMap((piece) => (piece.id === null ? [] : [piece.id])));
      if (report.finish !== null) done.set(report.id, { finish: report.finish, ...known });
      if (report.error !== null) failed.set(report.id, report.error.message);
    }
    return { done, failed };
  }

  close(): void {
    this.model.close();
    this.draftModel?.close();
  }

  /** The model, with the logits of every draw written down; a position drawn twice must see the same ones. */
  private recorded(): NativeModel {
    return new Proxy(this.model, {
      get: (model, name) => {
        if (name !== 'draw') {
          const value = Reflect.get(model, name) as unknown;
          return typeof value === 'function' ? value.bind(model) : value;
        }
        return (...args: Parameters<NativeModel['draw']>) => {
          const [index, , , , , seed, position] = args;
          const hash = model.hashRow(index, 0n).toString(16);
          const rows = this.logits.get(seed) ?? new Map<number, string>();
          this.logits.set(seed, rows);
          rows.set(position, (rows.get(position) ?? hash) === hash ? hash : 'two different rows');
          return model.draw(...args);
        };
      },
    });
  }
}

/** Every request alone, one token a round, on a cold cache: what the others must equal. */
export function soloReplies(
  checkpoint: Checkpoint,
  requests: readonly GenerationRequest[],
  kvDtype?: KvDtype,
): Reply[] {
  const harness = new Harness(checkpoint, {
    lanes: 1,
    chunkTokens: 100000,
    decodeShare: 0,
    numPages: 64,
    threads: 1,
    disturb: 0,
    seed: 0n,
    ...(kvDtype === undefined ? {} : { kvDtype }),
  });
  const replies = requests.map((request, index) => {
    harness.scheduler.cache.clear();
    harness.scheduler.submit({
      id: index,
      request: { ...request, draft: false, priority: 'foreground' },
      forcedCall: null,
    });
    while (harness.scheduler.round());
    const reply = harness.collect().done.get(index)!;
    const { tokenSha } = reply.finish.stats;
    const { ids } = reply;
    const logits = harness.logits.get(BigInt(index))!;
    return { ids, sha: tokenSha, text: reply.text, reason: reply.finish.reason, logits };
  });
  harness.close();
  return replies;
}

export interface TrafficResult {
  readonly differing: string[];
  readonly compared: number;
  readonly cancelled: number;
  readonly preemptions: number;
  readonly replayMismatches: number;
  readonly cachedTokens: number;
  readonly accepted: number;
}

/** Runs all requests with random arrivals, cancels, pauses, preemptions and drafts, and compares each with its solo run. */
export function runTraffic(
  checkpoint: Checkpoint,
  requests: readonly GenerationRequest[],
  solo: readonly Reply[],
  settings: TrafficSettings,
): TrafficResult {
  const dice = new Dice(settings.seed);
  const harness = new Harness(checkpoint, settings);
  const { scheduler } = harness;
  const undo = wildDrafts(dice);
  const differing: string[] = [];
  const cancelled = new Set<number>();
  let compared = 0;
  let submitted = 0;
  try {
    while (submitted < requests.length || !scheduler.idle) {
      for (
        let arrivals = dice.whole(0, 3);
        arrivals > 0 && submitted < requests.length;
        arrivals -= 1, submitted += 1
      ) {
        scheduler.submit({ id: submitted, request: requests[submitted]!, forcedCall: null });
      }
      const some = dice.whole(Math.max(0, submitted - 20), Math.max(0, submitted - 1));
      const running = scheduler.runningIds;
      if (running.length > 0 && dice.next() < settings.disturb) scheduler.preempt(dice.pick(running));
      if (dice.next() < settings.disturb / 4) {
        scheduler.cancel(some);
        cancelled.add(some);
      }
      scheduler.pause(some, dice.next() < settings.disturb);
      if (!scheduler.round()) for (let id = 0; id < submitted; id += 1) scheduler.pause(id, false);
      const { done, failed } = harness.collect();
      for (const [id, message] of failed) differing.push(`${id}: ${message}`);
      for (const [id, { finish, text }] of done) {
        const expected = solo[id]!;
        compared += 1;
        if (finish.stats.tokenSha !== expected.sha)
          differing.push(`${id}: tokens ${finish.stats.tokenSha}, solo ${expected.sha}`);
        else if (text !== expected.text)
          differing.push(`${id}: text ${JSON.stringify(text)}, solo ${JSON.stringify(expected.text)}`);
        else if (finish.reason !== expected.reason)
          differing.push(`${id}: ends by ${finish.reason}, solo ${expected.reason}`);
        for (const [position, hash] of harness.logits.get(BigInt(id)) ?? []) {
          // Rows past the end were drafts that came true after the reply had ended.
          const known = expected.logits.get(position);
          if (known !== undefined && known !== hash) differing.push(`${id}: logits at ${position}`);
        }
      }
    }
    scheduler.checkPages();
  } finally {
    undo();
    harness.close();
  }
  const counters = scheduler.counters();
  return {
    differing,
    compared,
    cancelled: cancelled.size,
    preemptions: counters.preemptionsTotal,
    replayMismatches: counters.replayMismatchTotal,
    cachedTokens: counters.cachedTokensTotal,
    accepted: counters.acceptedTotal,
  };
}

/** Drafts that are right, wrong or nonsense: mostly what the lane itself proposes, sometimes tokens out of the blue. */
function wildDrafts(dice: Dice): () => void {
  const propose = Reflect.get(Lane.prototype, 'propose') as (this: Lane, limit: number) => Draft;
  Lane.prototype.propose = function (this: Lane, limit: number) {
    if (dice.next() < 0.5) return propose.call(this, limit);
    return { tokens: Array.from({ length: dice.whole(0, Math.min(limit, 6)) }, () => dice.whole(0, 300)), kind: 0 };
  };
  return () => {
    Lane.prototype.propose = propose;
  };
}
