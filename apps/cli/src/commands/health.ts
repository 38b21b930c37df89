// tf health: what a running server does, once or as it goes.

import { Command } from 'commander';
import type { Health } from '@tensorfold/protocol/types';
import { numberBetween } from '../flags.ts';
import { CliError, exitCodes, printJson, printLine, printTable } from '../output.ts';
import { serverUrl } from '../server-url.ts';

export interface HealthOptions {
  readonly url?: string;
  readonly watch?: boolean;
  readonly interval?: number;
  readonly json?: boolean;
}

export function healthCommand(): Command {
  return new Command('health')
    .description('counters of a running server')
    .option('--url <url>', 'the server (default: TF_HOST or http://127.0.0.1:8080)')
    .option('--watch', 'a line of rates a sample; the first sample is the baseline')
    .option('--interval <seconds>', 'between samples (default: 1)', numberBetween(0.1, 3600))
    .option('--json', 'JSON: one document, or with --watch one a line')
    .action((options: HealthOptions) => run(options));
}

export async function run(options: HealthOptions): Promise<void> {
  const url = serverUrl(options.url ?? process.env['TF_HOST'] ?? 'http://127.0.0.1:8080');
  const health = await sample(url);
  if (options.watch === true) return watch(url, health, options);
  if (options.json === true) printJson(health);
  else printHealth(health);
  process.exitCode = health.status === 'ok' ? exitCodes.done : exitCodes.failure;
}

async function sample(url: string): Promise<Health> {
  let response: Response;
  try {
    response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    const cause = (error as Error).cause as Error | undefined;
    throw new CliError(`cannot reach ${url}: ${cause?.message || (error as Error).message}`, exitCodes.unreachable);
  }
  // 503 with the counters is a server that is there but takes no requests.
  const body = (await response.json().catch(() => null)) as Health | null;
  if (body?.streams === undefined)
    throw new CliError(`${url}/health: HTTP ${response.status}, no counters`, exitCodes.refused);
  return body;
}

function printHealth(health: Health): void {
  const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${Math.round((100 * part) / whole)} %`);
  printTable([
    ['status', health.status],
    ['model', health.model],
    ['window', health.context_length],
    [
      'running',
      `${health.requests_running} (${health.streams.decoding} decoding, ${health.streams.prefilling} prefilling, of ${health.streams.max} lanes)`,
    ],
    ['waiting', health.requests_waiting],
    ['requests', health.requests_total],
    [
      'prompt tokens',
      `${health.prompt_tokens_total} (${share(health.cached_tokens_total, health.prompt_tokens_total)} cached)`,
    ],
    ['reply tokens', health.completion_tokens_total],
    [
      'drafts accepted',
      `${health.accepted_total} of ${health.drafted_total} (${share(health.accepted_total, health.drafted_total)})`,
    ],
    ['uptime', `${health.uptime_seconds} s`],
  ]);
}

export interface Rates {
  readonly decode_tokens_per_second: number;
  readonly prefill_tokens_per_second: number;
  readonly running: number;
  readonly waiting: number;
  readonly cached_share: number | null;
  readonly accepted_share: number | null;
}

export function ratesBetween(before: Health, after: Health, seconds: number): Rates {
  const rise = (read: (health: Health) => number): number => read(after) - read(before);
  const prompt = rise((health) => health.prompt_tokens_total);
  const cached = rise((health) => health.cached_tokens_total);
  const drafted = rise((health) => health.drafted_total);
  return {
    decode_tokens_per_second: rise((health) => health.completion_tokens_total) / seconds,
    prefill_tokens_per_second: (prompt - cached) / seconds,
    running: after.requests_running,
    waiting: after.requests_waiting,
    cached_share: prompt > 0 ? cached / prompt : null,
    accepted_share: drafted > 0 ? rise((health) => health.accepted_total) / drafted : null,
  };
}

async function watch(url: string, baseline: Health, options: HealthOptions): Promise<void> {
  const seconds = options.interval ?? 1;
  process.once('SIGINT', () => process.exit(exitCodes.interrupted));
  let before = baseline;
  let sampledAt = performance.now();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const after = await sample(url);
    const now = performance.now();
    const rates = ratesBetween(before, after, (now - sampledAt) / 1000);
    if (options.json === true) printJson(rates);
    else printLine(rateLine(rates));
    before = after;
    sampledAt = now;
  }
}

function rateLine(rates: Rates): string {
  const percent = (share: number | null): string => (share === null ? '-' : `${Math.round(share * 100)} %`);
  return [
    `decode ${rates.decode_tokens_per_second.toFixed(1)} tok/s`,
    `prefill ${rates.prefill_tokens_per_second.toFixed(1)} tok/s`,
    `running ${rates.running}`,
    `waiting ${rates.waiting}`,
    `cached ${percent(rates.cached_share)}`,
    `accepted ${percent(rates.accepted_share)}`,
  ].join('  ');
}
