// The public door of the engine: load a checkpoint, submit requests, read token events.

import { freemem } from 'node:os';
import {
  EngineError,
  type GenerationRequest,
  type PromptPiece,
  RequestError,
  type TokenEvent,
  type TokenId,
} from '@tensorfold/protocol';
import { type Checkpoint, loadCheckpoint } from './checkpoint/checkpoint.ts';
import type { ForcedCallTokens } from './constraint/tool-choice.ts';
import { checkSameTokens } from './draft/same-tokens.ts';
import { type EngineRequest, wholeRequest } from './engine-request.ts';
import { EngineWorker } from './engine-worker.ts';
import type { KvDtype } from './kv-dtype.ts';
import { ReplyQueue } from './reply-queue.ts';
import { planMemory } from './scheduler/plan-memory.ts';
import type { Fault } from './scheduler/scheduler.ts';
import type { LaneReport, WorkerCard, WorkerCounters } from './scheduler/reports.ts';
import { tokenTableData } from './tokenizer/token-table.ts';

export interface EngineOptions {
  /** Path of a GGUF file (first part of a split one) or of a Hugging Face folder. */
  readonly model: string;
  /** Compute threads; 0 (default) takes the cores this process may use. */
  readonly threads?: number;
  /** Window in tokens; 0 (default) takes the checkpoint's, bounded by memory. */
  readonly contextTokens?: number;
  /** Requests that share rounds; 0 (default) decides from memory. */
  readonly lanes?: number;
  /** Kernel set; '' (default) takes the fastest. */
  readonly kernel?: string;
  /** Bytes for KV pages; 0 (default) decides from memory. */
  readonly kvBudgetBytes?: number;
  /** What keys and values are kept as: part of the numbers (docs/exactness.md). Default: what the checkpoint asks for. */
  readonly kvDtype?: KvDtype;
  /** Rows a prompt brings to one round at most. */
  readonly chunkTokens?: number;
  /** Share of a chunk's time that running replies get between chunks; 0 reads prompts whole first. */
  readonly decodeShare?: number;
  /** Requests that may wait for a lane. */
  readonly queueLimit?: number;
  /** Path of a smaller checkpoint with the same tokenizer whose guesses are checked in each round; default none. */
  readonly drafter?: string;
  /** Mixed into seeds derived from the prompt. */
  readonly seedSalt?: string;
  /** A drill: breaks the contract on purpose (scheduler/scheduler.ts), default none. */
  readonly fault?: Fault;
}

/** What a loaded model is. */
export interface EngineCard {
  readonly name: string;
  readonly family: string;
  readonly vocabSize: number;
  readonly windowTokens: number;
  readonly lanes: number;
  readonly threads: number;
  readonly kernel: string;
  /** A number; with keys and values of another type than the checkpoint's own a name, as `1+kv-q8`. */
  readonly numericVersion: number | string;
  /** Packed weights plus the KV budget. */
  readonly memoryBytes: number;
  readonly endTokenIds: readonly TokenId[];
  /** Jinja text of the checkpoint's chat template, or null. */
  readonly chatTemplate: string | null;
  /** Texts that templates are given: bos_token, eos_token, ... */
  readonly specialTokens: Readonly<Record<string, string>>;
}

/** Counters since start; seconds and counts only rise. */
export interface EngineHealth {
  readonly state: 'ready' | 'failed' | 'closed';
  readonly requestsRunning: number;
  readonly requestsQueued: number;
  readonly requestsTotal: number;
  readonly promptTokensTotal: number;
  readonly cachedTokensTotal: number;
  readonly completionTokensTotal: number;
  readonly prefillSecondsTotal: number;
  readonly decodeSecondsTotal: number;
  readonly roundsTotal: number;
  readonly draftedTotal: number;
  readonly acceptedTotal: number;
  readonly replayMismatchTotal: number;
  readonly preemptionsTotal: number;
  readonly streams: { readonly decoding: number; readonly prefilling: number; readonly max: number };
}

/** The engine as the server and other users see it; `loadEngine` gives the real one, tests give scripted ones. */
export interface EngineLike {
  readonly card: EngineCard;
  /**
   * Token ids of a prompt. Caller text never becomes a control token. Adds the beginning-of-text token where the
   * checkpoint asks for one and the text does not already begin with it. Throws EngineError without a tokenizer.
   */
  encode(pieces: readonly PromptPiece[]): TokenId[];
  /** Text of ids, added tokens included. */
  decode(ids: readonly TokenId[]): string;
  /** The id of an added or control token by its text, or null. */
  tokenId(text: string): TokenId | null;
  /**
   * Runs a request. Aborting the signal, or leaving the loop, ends it at the next round; the iterator then throws the
   * signal's reason. Throws RequestError before the first event where the request cannot run, EngineError when a round
   * fails.
   */
  submit(request: GenerationRequest, signal?: AbortSignal): AsyncIterable<TokenEvent>;
  health(): EngineHealth;
  close(): Promise<void>;
}

/** Rows of a prompt in one round: where the products have reached their full rate. */
const defaultChunkTokens = 128;
const defaultDecodeShare = 0.25;
const defaultQueueLimit = 256;

/** Loads a checkpoint and starts its worker. Throws CheckpointError or EngineError that says what is wrong. */
export async function loadEngine(options: EngineOptions): Promise<Engine> {
  return Engine.load(options);
}

export class Engine implements EngineLike {
  readonly card: EngineCard;
  private readonly checkpoint: Checkpoint;
  private readonly worker: EngineWorker;
  private readonly replies = new Map<number, ReplyQueue>();
  private readonly queueLimit: number;
  private counters: WorkerCounters;
  private state: EngineHealth['state'] = 'ready';
  private nextId = 1;

  static async load(options: EngineOptions): Promise<Engine> {
    const checkpoint = loadCheckpoint(options.model);
    const { spec, tokenizer } = checkpoint;
    const drafter = options.drafter === undefined ? null : loadCheckpoint(options.drafter);
    if (drafter !== null) checkSameTokens(checkpoint, drafter);
    const plan = planMemory(spec, {
      drafter: drafter?.spec ?? null,
      contextTokens: options.contextTokens ?? 0,
      lanes: options.lanes ?? 0,
      kvBudgetBytes: options.kvBudgetBytes ?? 0,
      kvDtype: options.kvDtype ?? null,
      availableBytes: freemem(),
    });
    let engine: Engine | undefined;
    const worker = new EngineWorker(
      {
        spec,
        texts: tokenizer === null ? null : tokenTableData(tokenizer, spec.vocabSize),
        threads: options.threads ?? 0,
        kernel: options.kernel ?? '',
        numPages: plan.numPages,
        windowTokens: plan.windowTokens,
        kvDtype: options.kvDtype ?? null,
        drafter: drafter === null ? null : { spec: drafter.spec, numPages: plan.numPages },
        settings: {
          lanes: plan.lanes,
          chunkTokens: options.chunkTokens ?? defaultChunkTokens,
          decodeShare: options.decodeShare ?? defaultDecodeShare,
          seedSalt: options.seedSalt ?? '',
          endTokenIds: spec.endTokenIds,
          fault: options.fault ?? '',
        },
      },
      {
        onReport: (report) => engine?.takeReport(report.lanes, report.counters),
        onCrash: (reason) => engine?.takeCrash(reason),
        onReady: () => engine?.takeReady(),
      },
    );
    const card = await worker.start();
    engine = new Engine(checkpoint, worker, card, options.queueLimit ?? defaultQueueLimit);
    return engine;
  }

  private constructor(checkpoint: Checkpoint, worker: EngineWorker, card: WorkerCard, queueLimit: number) {
    this.checkpoint = checkpoint;
    this.worker = worker;
    this.queueLimit = queueLimit;
    this.counters = noCounters(card.lanes);
    const { spec, chatTemplate, specialTokens } = checkpoint;
    this.card = {
      name: spec.name,
      family: spec.family,
      vocabSize: spec.vocabSize,
      windowTokens: card.windowTokens,
      lanes: card.lanes,
      threads: card.threads,
      kernel: card.kernel,
      numericVersion: card.numericVersion,
      memoryBytes: card.memoryBytes,
      endTokenIds: spec.endTokenIds,
      chatTemplate,
      specialTokens,
    };
  }

  encode(pieces: readonly PromptPiece[]): TokenId[] {
    return this.tokenizer().encodePieces(pieces, { addBos: true });
  }

  decode(ids: readonly TokenId[]): string {
    return this.tokenizer().decode(ids);
  }

  tokenId(text: string): TokenId | null {
    return this.checkpoint.tokenizer?.tokenId(text) ?? null;
  }

  /** As `EngineLike` says; a prompt and a limit are enough, the rest has defaults. */
  async *submit(given: EngineRequest, signal?: AbortSignal): AsyncGenerator<TokenEvent> {
    const request = wholeRequest(given);
    this.check(request);
    signal?.throwIfAborted();
    const id = this.nextId;
    this.nextId += 1;
    const reply = new ReplyQueue((paused) => this.worker.post({ type: 'pause', id, paused }));
    this.replies.set(id, reply);
    const abort = () => reply.fail(signal!.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    this.worker.post({ type: 'submit', submission: { id, request, forcedCall: this.forcedCall(request) } });
    try {
      yield* reply;
    } finally {
      signal?.removeEventListener('abort', abort);
      this.replies.delete(id);
      if (!reply.ended) this.worker.post({ type: 'cancel', id });
    }
  }

  health(): EngineHealth {
    return { state: this.state, ...this.counters };
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return;
    this.state = 'closed';
    for (const reply of this.replies.values()) reply.fail(new EngineError('the engine is closing'));
    await this.worker.close();
  }

  /** Ends the worker as a crash would, to see the engine come back. For tests and drills. */
  async crashWorker(): Promise<void> {
    await this.worker.kill();
  }

  private tokenizer() {
    const { tokenizer } = this.checkpoint;
    if (tokenizer === null) throw new EngineError('this checkpoint has no tokenizer: send token ids');
    return tokenizer;
  }

  private check(request: GenerationRequest): void {
    const { vocabSize, windowTokens, lanes } = this.card;
    if (this.state === 'closed') throw new EngineError('the engine is closed');
    if (this.state === 'failed') throw new EngineError('the engine is down; it is being restarted');
    const wrong = request.prompt.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
    if (wrong !== undefined)
      throw new RequestError(`token id ${wrong} is not in [0, ${vocabSize})`, { param: 'prompt' });
    if (request.prompt.length === 0)
      throw new RequestError('the prompt is empty: give at least one token', { param: 'prompt' });
    if (!Number.isInteger(request.maxTokens) || request.maxTokens < 1) {
      throw new RequestError(`max_tokens must be a whole number from 1, got ${request.maxTokens}`, {
        param: 'max_tokens',
      });
    }
    if (request.prompt.length + request.maxTokens > windowTokens) {
      throw new RequestError(
        `the prompt has ${request.prompt.length} tokens and the reply may have ${request.maxTokens}; ` +
          `the window is ${windowTokens} tokens`,
        { code: 'context_length_exceeded' },
      );
    }
    if (request.stop.length > 0 && this.checkpoint.tokenizer === null) {
      throw new RequestError('stop strings need a tokenizer, which this checkpoint lacks', { param: 'stop' });
    }
    if (this.replies.size >= lanes + this.queueLimit) {
      throw new RequestError(`${this.replies.size} requests run or wait already; try again later`, {
        status: 429,
        type: 'rate_limit_error',
        code: 'queue_full',
      });
    }
  }

  private forcedCall(request: GenerationRequest): ForcedCallTokens | null {
    const call = request.forcedToolCall;
    if (call === null) return null;
    const tokenizer = this.tokenizer();
    const openerIds = tokenizer.encodePieces(call.opener, { addBos: false });
    const names = call.names.map((name) => {
      const pieces: PromptPiece[] = [
        { text: name, source: 'caller' },
        { text: call.nameEnd, source: 'template' },
      ];
      return {
        text: Buffer.from(name + call.nameEnd).toString('latin1'),
        ids: tokenizer.encodePieces(pieces, { addBos: false }),
      };
    });
    return { openerIds, names };
  }

  private takeReport(lanes: readonly LaneReport[], counters: WorkerCounters): void {
    this.counters = counters;
    for (const report of lanes) this.replies.get(report.id)?.take(report);
  }

  private takeCrash(reason: string): void {
    if (this.state !== 'closed') this.state = 'failed';
    for (const reply of this.replies.values()) reply.fail(new EngineError(`the engine worker died: ${reason}`));
  }

  private takeReady(): void {
    if (this.state === 'failed') this.state = 'ready';
  }
}

function noCounters(maxLanes: number): WorkerCounters {
  return {
    requestsRunning: 0,
    requestsQueued: 0,
    requestsTotal: 0,
    promptTokensTotal: 0,
    cachedTokensTotal: 0,
    completionTokensTotal: 0,
    prefillSecondsTotal: 0,
    decodeSecondsTotal: 0,
    roundsTotal: 0,
    draftedTotal: 0,
    acceptedTotal: 0,
    replayMismatchTotal: 0,
    preemptionsTotal: 0,
    streams: { decoding: 0, prefilling: 0, max: maxLanes },
  };
}
