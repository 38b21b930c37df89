// Which lanes run this round, and how many rows each brings. Decides time, never tokens. Synchronous: one call, one round.

import type { TokenId } from '@tensorfold/protocol';
import type { NativeModel } from '../binding.ts';
import { type Constraint, ConstraintStack, VocabularyMask } from '../constraint/constraint.ts';
import { ReplyText } from '../constraint/stop.ts';
import { ThinkingBudget } from '../constraint/thinking-budget.ts';
import { ToolChoice } from '../constraint/tool-choice.ts';
import { RoundCost } from '../draft/depth.ts';
import { DraftChooser } from '../draft/draft-chooser.ts';
import type { DraftModel } from '../draft/draft-model.ts';
import { noDraft } from '../draft/drafter.ts';
import type { TokenTable } from '../tokenizer/token-table.ts';
import type { LaneRows } from './accept.ts';
import { Lane } from './lane.ts';
import { commonLength, pageTokens, PrefixCache } from './prefix-cache.ts';
import type { LaneReport, Submission, WorkerCounters } from './reports.ts';
import { runRound } from './round.ts';
import { Totals } from './totals.ts';

export interface SchedulerSettings {
  /** Requests that share rounds. */
  readonly lanes: number;
  /** Rows of a prompt in one round, at most. */
  readonly chunkTokens: number;
  /** Share of a chunk's time that running replies get between chunks; 0: prompts are read whole first. */
  readonly decodeShare: number;
  readonly seedSalt: string;
  readonly endTokenIds: readonly TokenId[];
  /** A drill: breaks the contract on purpose, so that the checks can be seen to fail. */
  readonly fault: Fault;
}

/**
 * `reorder-sum`: a sum's order depends on the rows beside it. `wrong-page`: a resumed prompt trusts one cached position
 * too many. `kept-draft`: the keys of a dropped draft stay in a page that others resume from.
 */
export type Fault = '' | 'reorder-sum' | 'wrong-page' | 'kept-draft';
export const faults: readonly Fault[] = ['', 'reorder-sum', 'wrong-page', 'kept-draft'];

/** A prompt that others passed this often goes next. */
const maxPassedOver = 8;

export class Scheduler {
  readonly cache: PrefixCache;
  private readonly model: NativeModel;
  private readonly texts: TokenTable | null;
  private readonly settings: SchedulerSettings;
  private readonly endTokens: ReadonlySet<TokenId>;
  private readonly vocabularyMask: VocabularyMask | null;
  private readonly now: () => number;
  private readonly cost = new RoundCost();
  private readonly drafts: DraftChooser;
  private readonly totals = new Totals();
  private readonly lanes = new Map<number, Lane>();
  private reports: LaneReport[] = [];
  /** Seconds of decode rounds that running replies may still take before the next chunk. */
  private decodeAllowance = 0;

  constructor(
    model: NativeModel,
    texts: TokenTable | null,
    settings: SchedulerSettings,
    now: () => number,
    draftModel: DraftModel | null = null,
  ) {
    this.model = model;
    this.texts = texts;
    this.settings = settings;
    this.endTokens = new Set(settings.endTokenIds);
    const used = texts?.usedMask() ?? null;
    this.vocabularyMask = used === null ? null : new VocabularyMask(used);
    this.now = now;
    this.drafts = new DraftChooser(this.cost, now, draftModel);
    this.cache = new PrefixCache(model.numPages, (from, to) => model.copyPage(from, to));
  }

  submit({ id, request, forcedCall }: Submission): void {
    const newConstraint = (): Constraint => {
      const parts: Constraint[] = [];
      if (this.vocabularyMask !== null) parts.push(this.vocabularyMask);
      if (request.thinking !== null && request.thinking.budgetTokens > 0)
        parts.push(new ThinkingBudget(request.thinking));
      if (forcedCall !== null && this.texts !== null) {
        parts.push(new ToolChoice(forcedCall, request.thinking, this.texts, this.endTokens));
      }
      return new ConstraintStack(parts);
    };
    const text = new ReplyText(this.texts, request.stop, request.ignoreEos ? this.endTokens : new Set());
    const { seedSalt } = this.settings;
    const lane = new Lane({ id, request, endTokens: this.endTokens, newConstraint, text, seedSalt, now: this.now() });
    this.lanes.set(id, lane);
    this.totals.requests += 1;
  }

  /** Ends a request at the next round, wherever it is. */
  cancel(id: number): void {
    const lane = this.lanes.get(id);
    if (lane !== undefined) lane.cancelled = true;
  }

  /** A paused lane keeps its place and brings no rows: its reader is behind. */
  pause(id: number, paused: boolean): void {
    const lane = this.lanes.get(id);
    if (lane !== undefined) lane.paused = paused;
  }

  /** Runs one round. False where there was nothing to run: wait for a command. */
  round(): boolean {
    this.dropCancelled();
    this.admit();
    const rows = this.reserve(this.chooseRows());
    if (rows.length === 0) return false;
    const begin = this.now();
    const decodesOnly = rows.every(({ lane }) => lane.decoding);
    const before = new Map(rows.map(({ lane }) => [lane, lane.tokens.length]));
    for (const { lane } of rows) if (lane.started < 0) lane.started = begin;
    const outcome = runRound(this.model, rows, this.now);
    this.accountTime(this.now() - begin, outcome.numRows, decodesOnly);
    for (const { lane, message, mismatch } of outcome.failed) this.fail(lane, message, mismatch);
    for (const { lane } of rows) {
      if (!this.lanes.has(lane.id)) continue;
      this.totals.completionTokens += lane.tokens.length - before.get(lane)!;
      this.cache.publish(lane.pages!, lane.tokens, lane.computed);
      this.tell(lane);
    }
    return true;
  }

  /** What happened since the last call. */
  takeReports(): LaneReport[] {
    const reports = this.reports;
    this.reports = [];
    return reports;
  }

  get idle(): boolean {
    return this.lanes.size === 0;
  }

  counters(): WorkerCounters {
    const running = this.running();
    const decoding = running.filter((lane) => lane.decoding).length;
    return this.totals.counters({
      running: running.length,
      queued: this.lanes.size - running.length,
      decoding,
      prefilling: running.length - decoding,
      maxLanes: this.settings.lanes,
    });
  }

  /** Ids of the lanes that have a place now. */
  get runningIds(): number[] {
    return this.running().map((lane) => lane.id);
  }

  /** Throws where pages are lost or held twice: for tests. */
  checkPages(): void {
    this.cache.check(this.running().map((lane) => lane.pages!));
  }

  /** Takes a running lane's place and pages; it replays later. For tests too. */
  preempt(id: number): void {
    const lane = this.lanes.get(id);
    if (lane?.pages == null) return;
    this.cache.close(lane.pages, lane.tokens, lane.computed, true);
    lane.pages = null;
    lane.computed = 0;
    this.totals.preemptions += 1;
  }

  private running(): Lane[] {
    return [...this.lanes.values()].filter((lane) => lane.pages !== null);
  }

  private dropCancelled(): void {
    for (const lane of this.lanes.values()) if (lane.cancelled) this.remove(lane, true);
  }

  private remove(lane: Lane, keepPages: boolean): void {
    if (lane.pages !== null) {
      const most = lane.pages.table.length * pageTokens;
      const computed = this.settings.fault === 'kept-draft' ? Math.min(lane.tokens.length, most) : lane.computed;
      this.cache.close(lane.pages, lane.tokens, computed, keepPages);
    }
    lane.pages = null;
    this.lanes.delete(lane.id);
    this.drafts.release(lane);
  }

  /** Gives waiting requests a place: foreground first, then in order of arrival. */
  private admit(): void {
    const waiting = [...this.lanes.values()].filter((lane) => lane.pages === null).sort(byPriority);
    for (const lane of waiting) {
      if (this.waitsForPrefix(lane)) continue;
      if (!this.makeRoom(lane)) return;
      const { pages, length } = this.cache.open(lane.tokens, lane.tokens.length - 1, lane.request.cacheSalt);
      lane.pages = pages;
      const trustsMore =
        this.settings.fault === 'wrong-page' && length % pageTokens > 0 && length < lane.tokens.length - 1;
      lane.computed = trustsMore ? length + 1 : length;
      if (lane.started < 0) lane.cachedTokens = length;
    }
  }

  /** A place and memory for the lane's known tokens and one more; background lanes give way to a foreground one. */
  private makeRoom(lane: Lane): boolean {
    for (;;) {
      const running = this.running();
      const cached = this.cache.matchLength(lane.tokens, lane.tokens.length - 1, lane.request.cacheSalt);
      const needed = Math.ceil((lane.tokens.length + 1) / pageTokens) - Math.floor(cached / pageTokens);
      if (running.length < this.settings.lanes && this.cache.numAvailable >= needed + heldBack(running)) return true;
      if (running.length === 0) return true;
      const victim = running
        .filter((other) => other.isBackground)
        .sort(byPriority)
        .at(-1);
      if (lane.isBackground || victim === undefined) return false;
      this.preempt(victim.id);
    }
  }

  /** Another lane is filling at least a page that this one could share: it waits for it instead of filling it again. */
  private waitsForPrefix(lane: Lane): boolean {
    const limit = lane.tokens.length - 1;
    if (limit < pageTokens) return false;
    let cached = -1;
    return this.running().some((other) => {
      if (other.request.cacheSalt !== lane.request.cacheSalt || other.decoding || other.paused) return false;
      const common = Math.min(commonLength(other.tokens, lane.tokens, 0), limit);
      const shared = Math.floor(common / pageTokens) * pageTokens;
      if (other.computed >= shared) return false;
      if (cached < 0) cached = this.cache.matchLength(lane.tokens, limit, lane.request.cacheSalt);
      return shared >= cached + pageTokens;
    });
  }

  private chooseRows(): LaneRows[] {
    const running = this.running().filter((lane) => !lane.paused);
    const decoding = running.filter((lane) => lane.decoding);
    const prompt = this.nextPrompt(running.filter((lane) => !lane.decoding));
    const chunkFirst = prompt !== null && (decoding.length === 0 || this.decodeAllowance <= 0);
    if (!chunkFirst) return this.decodeRows(decoding);
    // Replies ride along with the chunk, unless prompts are to be read whole first.
    const rows = this.settings.decodeShare > 0 ? this.decodeRows(decoding) : [];
    // A chunk of a prompt that keeps others waiting is shorter.
    const alone = this.lanes.size === 1;
    const chunk = alone ? 2 * this.settings.chunkTokens : this.settings.chunkTokens;
    rows.push({ lane: prompt, known: Math.min(prompt.unread, chunk), draft: noDraft });
    return rows;
  }

  /** The prompt whose chunk is next: foreground first, then the shortest rest; one passed over too often goes first. */
  private nextPrompt(lanes: readonly Lane[]): Lane | null {
    if (lanes.length === 0) return null;
    const [next, ...others] = [...lanes].sort(
      (a, b) =>
        Number(b.passedOver >= maxPassedOver) - Number(a.passedOver >= maxPassedOver) ||
        Number(a.isBackground) - Number(b.isBackground) ||
        a.unread - b.unread ||
        a.id - b.id,
    );
    next!.passedOver = 0;
    for (const lane of others) lane.passedOver += 1;
    return next!;
  }

  private decodeRows(decoding: readonly Lane[]): LaneRows[] {
    const drafts = this.drafts.choose(decoding);
    return decoding.map((lane, index) => ({ lane, known: 1, draft: drafts[index]! }));
  }

  /** Pages for every row. Where memory is out, the last in priority give their place up and replay later. */
  private reserve(rows: readonly LaneRows[]): LaneRows[] {
    const reserved: LaneRows[] = [];
    for (const wish of [...rows].sort((a, b) => byPriority(a.lane, b.lane))) {
      const { lane } = wish;
      while (lane.pages !== null) {
        if (this.cache.extend(lane.pages, lane.computed + wish.known + wish.draft.tokens.length)) {
          reserved.push(wish);
          break;
        }
        const victim = this.running().sort(byPriority).at(-1)!;
        this.preempt(victim.id);
      }
    }
    return reserved.filter(({ lane }) => lane.pages !== null);
  }

  private accountTime(seconds: number, numRows: number, decodesOnly: boolean): void {
    this.totals.rounds += 1;
    if (decodesOnly) {
      this.totals.decodeSeconds += seconds;
      this.cost.record(numRows, seconds);
      this.decodeAllowance -= seconds;
    } else {
      this.totals.prefillSeconds += seconds;
      this.decodeAllowance = this.settings.decodeShare * seconds;
    }
  }

  private fail(lane: Lane, message: string, mismatch: boolean): void {
    if (mismatch) this.totals.replayMismatches += 1;
    this.remove(lane, false);
    this.reports.push({ id: lane.id, pieces: [], finish: null, error: { message, kind: 'engine', code: null } });
  }

  private tell(lane: Lane): void {
    const pieces = lane.release();
    const finish = lane.finish === null ? null : lane.report(this.now());
    if (pieces.length > 0 || finish !== null) this.reports.push({ id: lane.id, pieces, finish, error: null });
    if (finish === null) return;
    this.totals.finish(finish.stats);
    this.remove(lane, true);
  }
}

/** Foreground before background, then in order of arrival. */
function byPriority(a: Lane, b: Lane): number {
  return Number(a.isBackground) - Number(b.isBackground) || a.id - b.id;
}

/** Pages that running prompts will still need: admission leaves them alone. */
function heldBack(running: readonly Lane[]): number {
  let pages = 0;
  for (const lane of running)
    pages += Math.max(0, Math.ceil((lane.tokens.length + 1) / pageTokens) - lane.pages!.table.length);
  return pages;
}
