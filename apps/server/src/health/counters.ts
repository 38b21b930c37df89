// One set of variables for /health and /metrics: the engine's counters and what the server alone can see.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineHealth } from '@tensorfold/engine-native';
import { RequestError, type Health, type OutputEvent } from '@tensorfold/protocol';
import type { LoadedModel } from '../models/registry.ts';
import type { ServerConfig } from '../config.ts';

export type Route = 'chat' | 'completions' | 'responses';

type FinishEvent = Extract<OutputEvent, { type: 'finish' }>;

// vLLM's own bounds, so that dashboards carry over.
const FIRST_TOKEN_BUCKETS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];
// From 1 ms: drafted replies are faster than the 10 ms others begin with.
const PER_TOKEN_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const REQUEST_BUCKETS = [0.1, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920];
const TOKEN_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

export class Counters {
  private readonly registry = new Registry();
  private readonly model: LoadedModel;
  private readonly startedAt = performance.now();
  private readonly finished: Counter<'model' | 'route' | 'finish_reason'>;
  private readonly failed: Counter<'model' | 'route' | 'code'>;
  private readonly cancelled: Counter<'model' | 'phase'>;
  private readonly reasoningTokens: Counter<'model'>;
  private readonly firstToken: Observe;
  private readonly perToken: Observe;
  private readonly wholeRequest: Observe;
  private readonly promptTokens: Observe;
  private readonly completionTokens: Observe;
  private readonly succeeded: Counter<'model_name' | 'finished_reason'> | null;
  isDraining = false;

  constructor(model: LoadedModel, config: ServerConfig) {
    this.model = model;
    const registers = [this.registry];
    const labels = ['model'] as const;
    const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter<Label>({ name: `tensorfold_${name}`, help, labelNames, registers });
    const isCompatible = config.metricsCompat === 'vllm';
    /** A histogram under our name and, for dashboards that know it, under vLLM's. */
    const histogram = (name: string, vllmName: string, help: string, buckets: number[]): Observe => {
      const own = new Histogram({ name: `tensorfold_${name}`, help, labelNames: labels, buckets, registers });
      const alias = isCompatible
        ? new Histogram({
            name: `vllm:${vllmName}`,
            help: `tensorfold_${name}`,
            labelNames: ['model_name'] as const,
            buckets,
            registers,
          })
        : null;
      return (value) => {
        own.observe({ model: model.id }, value);
        alias?.observe({ model_name: model.id }, value);
      };
    };
    this.finished = counter('requests_total', 'Replies that ended, by why.', ['model', 'route', 'finish_reason']);
    this.failed = counter('request_errors_total', 'Requests that were refused or failed.', ['model', 'route', 'code']);
    this.cancelled = counter('requests_cancelled_total', 'Requests whose client left.', ['model', 'phase']);
    this.reasoningTokens = counter('reasoning_tokens_total', 'Tokens written inside think blocks.', labels);
    this.firstToken = histogram(
      'time_to_first_token_seconds',
      'time_to_first_token_seconds',
      'From submit to the first token.',
      FIRST_TOKEN_BUCKETS,
    );
    this.perToken = histogram(
      'time_per_output_token_seconds',
      'request_time_per_output_token_seconds',
      'Decode time per token after the first.',
      PER_TOKEN_BUCKETS,
    );
    this.wholeRequest = histogram(
      'request_seconds',
      'e2e_request_latency_seconds',
      'From request to its last token.',
      REQUEST_BUCKETS,
    );
    this.promptTokens = histogram(
      'request_prompt_tokens',
      'request_prompt_tokens',
      'Prompt tokens of a request.',
      TOKEN_BUCKETS,
    );
    this.completionTokens = histogram(
      'request_completion_tokens',
      'request_generation_tokens',
      'Tokens of a reply.',
      TOKEN_BUCKETS,
    );
    this.succeeded = isCompatible
      ? new Counter({
          name: 'vllm:request_success_total',
          help: 'tensorfold_requests_total',
          labelNames: ['model_name', 'finished_reason'],
          registers,
        })
      : null;
    this.addEngineMetrics('tensorfold_', 'model', registers);
    if (isCompatible) this.addVllmNames(registers);
    collectDefaultMetrics({ register: this.registry });
  }

  /** Text that Prometheus reads, with its content type. */
  async metrics(): Promise<{ body: string; contentType: string }> {
    return { body: await this.registry.metrics(), contentType: this.registry.contentType };
  }

  get isReady(): boolean {
    return !this.isDraining && this.model.engine.health().state === 'ready';
  }

  health(): Health {
    const health = this.model.engine.health();
    return {
      status: health.state !== 'ready' ? 'failed' : this.isDraining ? 'draining' : 'ok',
      model: this.model.id,
      busy: health.requestsRunning + health.requestsQueued > 0,
      requests_running: health.requestsRunning,
      requests_waiting: health.requestsQueued,
      requests_total: health.requestsTotal,
      prompt_tokens_total: health.promptTokensTotal,
      cached_tokens_total: health.cachedTokensTotal,
      completion_tokens_total: health.completionTokensTotal,
      prefill_seconds_total: health.prefillSecondsTotal,
      decode_seconds_total: health.decodeSecondsTotal,
      rounds_total: health.roundsTotal,
      drafted_total: health.draftedTotal,
      accepted_total: health.acceptedTotal,
      streams: health.streams,
      context_length: this.model.engine.card.windowTokens,
      uptime_seconds: Math.round((performance.now() - this.startedAt) / 1000),
    };
  }

  /** Counts a reply's end as the events pass. */
  async *watch(route: Route, events: AsyncIterable<OutputEvent>, signal: AbortSignal): AsyncGenerator<OutputEvent> {
    const startedAt = performance.now();
    let phase: 'waiting' | 'replying' | 'done' = 'waiting';
    try {
      for await (const event of events) {
        phase = 'replying';
        if (event.type === 'finish') {
          phase = 'done';
          this.countFinish(route, event, (performance.now() - startedAt) / 1000);
        }
        yield event;
      }
    } catch (error) {
      if (!signal.aborted) phase = 'done';
      // Refusals are counted where they are sent.
      if (!signal.aborted && !(error instanceof RequestError)) this.countFailure(route, error);
      throw error;
    } finally {
      if (phase !== 'done' && signal.aborted) this.cancelled.inc({ model: this.model.id, phase });
    }
  }

  /** A refusal, by its code, or a failed reply. */
  countFailure(route: Route, error: unknown): void {
    const code = error instanceof RequestError ? (error.code ?? error.type) : 'server_error';
    this.failed.inc({ model: this.model.id, route, code });
  }

  private countFinish(route: Route, finish: FinishEvent, seconds: number): void {
    const model = this.model.id;
    const { stats } = finish;
    this.finished.inc({ model, route, finish_reason: finish.reason });
    this.reasoningTokens.inc({ model }, finish.reasoningTokens);
    this.succeeded?.inc({ model_name: model, finished_reason: finish.reason === 'length' ? 'length' : 'stop' });
    this.firstToken(stats.firstTokenSeconds);
    if (stats.completionTokens > 1) this.perToken(stats.decodeSeconds / (stats.completionTokens - 1));
    this.wholeRequest(seconds);
    this.promptTokens(stats.promptTokens);
    this.completionTokens(stats.completionTokens);
  }

  /** Values that the engine counts, read when asked for. */
  private addEngineMetrics(prefix: string, label: string, registers: Registry[]): void {
    const { engine, id } = this.model;
    const counters: readonly (readonly [string, string, (health: EngineHealth) => number])[] = [
      ['prompt_tokens_total', 'Prompt tokens, cached ones included.', (health) => health.promptTokensTotal],
      ['cached_tokens_total', 'Prompt tokens found in the prefix cache.', (health) => health.cachedTokensTotal],
      ['completion_tokens_total', 'Tokens written; grows while replies run.', (health) => health.completionTokensTotal],
      ['prefill_seconds_total', 'Time spent reading prompts.', (health) => health.prefillSecondsTotal],
      ['decode_seconds_total', 'Time spent writing replies.', (health) => health.decodeSecondsTotal],
      ['rounds_total', 'Scheduled forward passes.', (health) => health.roundsTotal],
      ['drafted_tokens_total', 'Tokens proposed by drafts.', (health) => health.draftedTotal],
      ['accepted_tokens_total', 'Drafted tokens that were kept.', (health) => health.acceptedTotal],
      ['preemptions_total', 'Background replies that gave way and started again.', (health) => health.preemptionsTotal],
      [
        'replay_mismatches_total',
        'Replayed tokens that came out otherwise; not 0 is a fault.',
        (health) => health.replayMismatchTotal,
      ],
    ];
    for (const [name, help, read] of counters)
      engineCounter(prefix + name, help, registers, label, id, () => read(engine.health()));
    engineGauge(
      `${prefix}requests_running`,
      'Requests in lanes.',
      registers,
      label,
      id,
      () => engine.health().requestsRunning,
    );
    engineGauge(
      `${prefix}requests_waiting`,
      'Requests waiting for a lane.',
      registers,
      label,
      id,
      () => engine.health().requestsQueued,
    );
    engineGauge(`${prefix}ready`, '1 when requests are taken.', registers, label, id, () => Number(this.isReady));
    new Gauge({
      name: `${prefix}lanes`,
      help: 'Lanes by what they do.',
      labelNames: [label, 'state'],
      registers,
      collect() {
        const { streams } = engine.health();
        this.set({ [label]: id, state: 'decoding' }, streams.decoding);
        this.set({ [label]: id, state: 'prefilling' }, streams.prefilling);
        this.set({ [label]: id, state: 'idle' }, Math.max(0, streams.max - streams.decoding - streams.prefilling));
      },
    });
    const { kernel, family, numericVersion } = engine.card;
    new Gauge({
      name: `${prefix}build_info`,
      help: 'What runs here.',
      labelNames: [label, 'kernel', 'family', 'numeric_version'],
      registers,
    }).set({ [label]: id, kernel, family, numeric_version: String(numericVersion) }, 1);
  }

  /** The few that gateways and autoscalers read. */
  private addVllmNames(registers: Registry[]): void {
    const { engine, id } = this.model;
    const gauge = (name: string, help: string, read: () => number) =>
      engineGauge(`vllm:${name}`, help, registers, 'model_name', id, read);
    const counter = (name: string, help: string, read: () => number) =>
      engineCounter(`vllm:${name}`, help, registers, 'model_name', id, read);
    gauge('num_requests_running', 'tensorfold_requests_running', () => engine.health().requestsRunning);
    gauge('num_requests_waiting', 'tensorfold_requests_waiting', () => engine.health().requestsQueued);
    counter('prompt_tokens_total', 'tensorfold_prompt_tokens_total', () => engine.health().promptTokensTotal);
    counter(
      'generation_tokens_total',
      'tensorfold_completion_tokens_total',
      () => engine.health().completionTokensTotal,
    );
    counter('prefix_cache_queries_total', 'tensorfold_prompt_tokens_total', () => engine.health().promptTokensTotal);
    counter('prefix_cache_hits_total', 'tensorfold_cached_tokens_total', () => engine.health().cachedTokensTotal);
    counter(
      'spec_decode_num_draft_tokens_total',
      'tensorfold_drafted_tokens_total',
      () => engine.health().draftedTotal,
    );
    counter(
      'spec_decode_num_accepted_tokens_total',
      'tensorfold_accepted_tokens_total',
      () => engine.health().acceptedTotal,
    );
  }
}

type Observe = (value: number) => void;
type Read = () => number;

function engineCounter(name: string, help: string, registers: Registry[], label: string, id: string, read: Read): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers,
    collect() {
      this.reset();
      this.inc({ [label]: id }, read());
    },
  });
}

function engineGauge(name: string, help: string, registers: Registry[], label: string, id: string, read: Read): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers,
    collect() {
      this.set({ [label]: id }, read());
    },
  });
}
