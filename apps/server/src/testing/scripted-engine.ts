// An engine that plays given tokens: what tests, and people who try a client without weights, put behind the server.
// Stop strings, limits, thinking budgets, held-back text, whole characters, lanes, cancelling and the prefix cache behave as the
// engine's.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineCard, EngineHealth, EngineLike } from '@tensorfold/engine-native';
import type {
  FinishReason,
  GenerationRequest,
  PromptPiece,
  ReplyStats,
  ThinkingSettings,
  TokenEvent,
  TokenId,
  TokenPiece,
} from '@tensorfold/protocol';
import { scriptedTemplate } from './scripted-template.ts';

/** A token by its text or, where it ends inside a character, by its bytes. */
export type ScriptedToken = string | Uint8Array;

export interface Script {
  /** What each round delivers: several tokens where drafts were accepted. Then the reply ends by an end token. */
  readonly rounds: readonly (readonly ScriptedToken[])[];
  /** Before each round. */
  readonly roundMs?: number;
  /** Before the first round. */
  readonly prefillMs?: number;
  /** Thrown in place of the round of this index. */
  readonly failure?: { readonly round: number; readonly error: Error };
}

export interface ScriptedEngineOptions {
  readonly play: (request: GenerationRequest, prompt: string) => Script;
  /** Added tokens, each one id; those of `control` have no text in a reply. */
  readonly addedTokens?: readonly string[];
  readonly controlTokens?: readonly string[];
  readonly card?: Partial<EngineCard>;
}

const FIRST_ADDED_ID = 256;
const VOCAB_SIZE = 100_000;
const END_TOKEN = '<|im_end|>';

export class ScriptedEngine implements EngineLike {
  readonly card: EngineCard;
  /** Requests as they were submitted, oldest first. */
  readonly requests: GenerationRequest[] = [];
  /** Those whose replies began. */
  numStarted = 0;
  private readonly play: ScriptedEngineOptions['play'];
  private readonly controlTokens: ReadonlySet<string>;
  private readonly addedTokens: ReadonlySet<string>;
  private readonly idsByText = new Map<string, TokenId>();
  private readonly bytesById = new Map<TokenId, Buffer>();
  private readonly addedPattern: RegExp;
  private readonly numAdded: number;
  private readonly seenPrompts: (readonly TokenId[])[] = [];
  private readonly waiting: { priority: GenerationRequest['priority']; start: () => void }[] = [];
  private running = 0;
  private readonly totals = { requests: 0, prompt: 0, cached: 0, completion: 0, rounds: 0, drafted: 0, decode: 0 };

  constructor(options: ScriptedEngineOptions) {
    this.play = options.play;
    const control = options.controlTokens ?? ['<|im_start|>', END_TOKEN];
    this.controlTokens = new Set(control);
    const added = [...control, ...(options.addedTokens ?? ['<think>', '</think>', '<tool_call>', '</tool_call>'])];
    this.addedTokens = new Set(added);
    this.numAdded = added.length;
    for (const text of added) this.define(text);
    this.addedPattern = new RegExp(`(${added.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`);
    this.card = {
      name: 'scripted',
      family: 'scripted',
      vocabSize: VOCAB_SIZE,
      windowTokens: 4096,
      lanes: 4,
      threads: 1,
      kernel: 'scripted',
      numericVersion: 1,
      memoryBytes: 0,
      endTokenIds: [this.tokenId(END_TOKEN) ?? 0],
      chatTemplate: scriptedTemplate,
      specialTokens: { eos_token: END_TOKEN },
      ...options.card,
    };
  }

  /** A byte a token, and an id each for added tokens in the template's own text. */
  encode(pieces: readonly PromptPiece[]): TokenId[] {
    return pieces.flatMap(({ text, source }) => {
      if (source === 'caller') return [...Buffer.from(text)];
      return text
        .split(this.addedPattern)
        .flatMap((part, index) => (index % 2 === 1 ? [this.idsByText.get(part) as TokenId] : [...Buffer.from(part)]));
    });
  }

  decode(ids: readonly TokenId[]): string {
    return Buffer.concat(ids.map((id) => this.bytesById.get(id) ?? Buffer.from([id]))).toString();
  }

  tokenId(text: string): TokenId | null {
    const id = this.idsByText.get(text);
    return id === undefined || id >= FIRST_ADDED_ID + this.numAdded ? null : id;
  }

  async *submit(request: GenerationRequest, signal?: AbortSignal): AsyncGenerator<TokenEvent> {
    this.requests.push(request);
    const submittedAt = performance.now();
    await this.takeLane(request.priority, signal);
    try {
      this.numStarted += 1;
      yield* this.reply(request, submittedAt, signal);
    } finally {
      this.leaveLane();
    }
  }

  health(): EngineHealth {
    return {
      state: 'ready',
      requestsRunning: this.running,
      requestsQueued: this.waiting.length,
      requestsTotal: this.totals.requests,
      promptTokensTotal: this.totals.prompt,
      cachedTokensTotal: this.totals.cached,
      completionTokensTotal: this.totals.completion,
      prefillSecondsTotal: 0,
      decodeSecondsTotal: this.totals.decode,
      roundsTotal: this.totals.rounds,
      draftedTotal: this.totals.drafted,
      acceptedTotal: this.totals.drafted,
      replayMismatchTotal: 0,
      preemptionsTotal: 0,
      streams: { decoding: this.running, prefilling: 0, max: this.card.lanes },
    };
  }

  async close(): Promise<void> {}

  private async *reply(
    request: GenerationRequest,
    submittedAt: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<TokenEvent> {
    const script = this.play(request, this.decode(request.prompt));
    const cachedTokens = this.cachedTokens(request.prompt);
    const writer = new ReplyWriter(request, this.addedTokens, this.controlTokens);
    this.totals.requests += 1;
    this.totals.prompt += request.prompt.length;
    this.totals.cached += cachedTokens;
    let rounds = 0;
    let drafted = 0;
    let firstTokenAt = 0;
    if (script.prefillMs !== undefined) await sleep(script.prefillMs, undefined, { signal }).catch(() => {});
    for (const round of this.roundsOf(script, request)) {
      if (script.roundMs !== undefined) await sleep(script.roundMs, undefined, { signal }).catch(() => {});
      else await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      if (script.failure?.round === rounds) throw script.failure.error;
      if (firstTokenAt === 0) firstTokenAt = performance.now();
      const pieces: TokenPiece[] = [];
      const before = writer.ids.length;
      for (const token of round) {
        pieces.push(...writer.write(this.define(token), token));
        if (writer.finish !== null) break;
      }
      rounds += 1;
      drafted += Math.max(0, round.length - 1);
      this.totals.rounds += 1;
      this.totals.completion += writer.ids.length - before;
      this.totals.drafted += Math.max(0, round.length - 1);
      if (pieces.length > 0) yield { type: 'tokens', pieces };
      if (writer.finish !== null) break;
    }
    const finish = writer.finish ?? { reason: 'stop', stopString: null };
    const decodeSeconds = (performance.now() - firstTokenAt) / 1000;
    this.totals.decode += decodeSeconds;
    this.seenPrompts.push([...request.prompt, ...writer.ids]);
    const stats: ReplyStats = {
      promptTokens: request.prompt.length,
      cachedTokens,
      completionTokens: writer.ids.length,
      prefillSeconds: 0,
      decodeSeconds,
      firstTokenSeconds: (firstTokenAt - submittedAt) / 1000,
      rounds,
      draftedTokens: drafted,
      acceptedTokens: drafted,
      tokenSha: createHash('sha256').update(writer.ids.join(',')).digest('hex').slice(0, 12),
      logitsHash: null,
    };
    yield { type: 'finish', ...finish, stats };
  }

  /** The script's rounds (one token each without drafts), then the end token or, where that is ignored, filler. */
  private *roundsOf(script: Script, request: GenerationRequest): Generator<readonly ScriptedToken[]> {
    for (const round of this.underBudget(script.rounds, request.thinking)) {
      if (request.draft) yield round;
      else for (const token of round) yield [token];
    }
    if (!request.ignoreEos) yield [END_TOKEN];
    while (request.ignoreEos) yield [' more'];
  }

  /**
   * The closing text in place of the budget-th token, where the reply still thinks there. A script that would have closed the
   * block by itself goes on behind that place.
   */
  private *underBudget(
    rounds: Script['rounds'],
    thinking: ThinkingSettings | null,
  ): Generator<readonly ScriptedToken[]> {
    if (thinking === null || thinking.budgetTokens === 0) return yield* rounds;
    const isOf = (id: TokenId | null, token: ScriptedToken) => typeof token === 'string' && this.tokenId(token) === id;
    let left = rounds.flat();
    let isThinking = thinking.startsOpen;
    let numTokens = 0;
    for (const round of rounds) {
      const next: ScriptedToken[] = [];
      for (const token of round) {
        numTokens += 1;
        if (isThinking && numTokens === thinking.budgetTokens) {
          const close = left.findIndex((each) => isOf(thinking.closeId, each));
          yield [...next, ...this.tokensOf(thinking.closeIds)];
          yield left.slice(close < 0 ? 1 : close + 1);
          return;
        }
        if (thinking.openId !== null && isOf(thinking.openId, token)) isThinking = true;
        if (isOf(thinking.closeId, token)) isThinking = false;
        next.push(token);
        left = left.slice(1);
      }
      yield next;
    }
  }

  private tokensOf(ids: readonly TokenId[]): ScriptedToken[] {
    return ids.map((id) => this.bytesById.get(id)?.toString() ?? Buffer.from([id]));
  }

  private define(token: ScriptedToken): TokenId {
    const bytes = Buffer.from(token as string);
    const key = typeof token === 'string' ? token : `bytes ${bytes.toString('hex')}`;
    const known = this.idsByText.get(key);
    if (known !== undefined) return known;
    const id = FIRST_ADDED_ID + this.idsByText.size;
    this.idsByText.set(key, id);
    this.bytesById.set(id, bytes);
    return id;
  }

  /** Tokens shared with the beginning of any earlier prompt and reply; the last token is always read anew. */
  private cachedTokens(prompt: readonly TokenId[]): number {
    let longest = 0;
    for (const seen of this.seenPrompts) {
      let shared = 0;
      while (shared < prompt.length - 1 && seen[shared] === prompt[shared]) shared += 1;
      longest = Math.max(longest, shared);
    }
    return longest;
  }

  private async takeLane(priority: GenerationRequest['priority'], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.running < this.card.lanes) {
      this.running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const entry = { priority, start: resolve };
      const at = priority === 'foreground' ? this.waiting.findIndex((other) => other.priority === 'background') : -1;
      this.waiting.splice(at === -1 ? this.waiting.length : at, 0, entry);
      signal?.addEventListener('abort', () => {
        const place = this.waiting.indexOf(entry);
        if (place === -1) return;
        this.waiting.splice(place, 1);
        reject(signal.reason as Error);
      });
    });
  }

  private leaveLane(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next.start();
  }
}

/** One reply's text: whole characters only, nothing of a stop string, nothing past the limit. */
class ReplyWriter {
  readonly ids: TokenId[] = [];
  finish: { readonly reason: FinishReason; readonly stopString: string | null } | null = null;
  private readonly request: GenerationRequest;
  private readonly addedTokens: ReadonlySet<string>;
  private readonly controlTokens: ReadonlySet<string>;
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private held = '';

  constructor(request: GenerationRequest, addedTokens: ReadonlySet<string>, controlTokens: ReadonlySet<string>) {
    this.request = request;
    this.addedTokens = addedTokens;
    this.controlTokens = controlTokens;
  }

  write(id: TokenId, token: ScriptedToken): TokenPiece[] {
    this.ids.push(id);
    const isEnd = token === END_TOKEN && !this.request.ignoreEos;
    if (isEnd) this.finish = { reason: 'stop', stopString: null };
    else if (this.ids.length >= this.request.maxTokens) this.finish = { reason: 'length', stopString: null };
    if (typeof token === 'string' && this.addedTokens.has(token)) {
      const text = this.controlTokens.has(token) ? '' : token;
      return [...this.release(), { id, text }];
    }
    this.held += typeof token === 'string' ? token : this.decoder.decode(token, { stream: true });
    const match = earliestMatch(this.held, this.request.stop);
    if (match !== null) {
      const text = this.held.slice(0, match.index);
      this.held = '';
      this.finish = { reason: 'stop', stopString: match.stop };
      return [{ id, text }];
    }
    if (this.finish !== null) return [{ id, text: '' }, ...this.release()];
    const keep = Math.max(0, ...this.request.stop.map((stop) => pendingLength(this.held, stop)));
    const text = this.held.slice(0, this.held.length - keep);
    this.held = this.held.slice(this.held.length - keep);
    return [{ id, text }];
  }

  private release(): TokenPiece[] {
    const text = this.held + this.decoder.decode();
    this.held = '';
    return text === '' ? [] : [{ id: null, text }];
  }
}

function earliestMatch(text: string, stops: readonly string[]): { index: number; stop: string } | null {
  let best: { index: number; stop: string } | null = null;
  for (const stop of stops) {
    const index = text.indexOf(stop);
    if (index !== -1 && (best === null || index < best.index)) best = { index, stop };
  }
  return best;
}

/** Length of the longest tail of `text` that could be the start of `stop`. */
function pendingLength(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length -= 1) {
    if (stop.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
