// What a server can be told: flag > environment > default.

import { readFileSync } from 'node:fs';
import type { ReasoningEffort } from '@tensorfold/protocol';

export interface ServerConfig {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Any of them opens /v1; none leaves it open. */
  readonly apiKeys: readonly string[];
  /** Further names the model is served under; the first is the one that lists show. */
  readonly aliases: readonly string[];
  /** Reply limit of requests that give none, capped to what the window leaves. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  /** null derives each reply's key from its prompt. */
  readonly seed: number | null;
  readonly draft: boolean;
  /** For requests without one; null leaves it to the template. */
  readonly reasoningEffort: ReasoningEffort | null;
  /** For requests without one; 0 is no limit. */
  readonly thinkingBudget: number;
  /** Responses requests of coding agents pass: what this server does not run is skipped, and the reply says so. */
  readonly compatAgents: boolean;
  readonly bodyLimitBytes: number;
  /** Silence on a stream before a comment line. */
  readonly keepAliveMs: number;
  /** After SIGTERM: how long new requests are still taken (behind a balancer that lags). */
  readonly drainGraceMs: number;
  /** After that: how long running replies may take to end. */
  readonly drainTimeoutMs: number;
  /** Metric names of vLLM beside our own, for gateways that read those. */
  readonly metricsCompat: 'vllm' | 'none';
  readonly log: 'silent' | 'warn' | 'info';
}

export const defaultConfig: ServerConfig = {
  host: '127.0.0.1',
  port: 8080,
  apiKeys: [],
  aliases: [],
  maxTokens: 4096,
  temperature: 0.7,
  topP: 0.95,
  topK: 0,
  minP: 0,
  seed: null,
  draft: true,
  reasoningEffort: null,
  thinkingBudget: 0,
  compatAgents: false,
  // A long prompt is a few MiB of JSON; Fastify's own limit of 1 MiB refuses agents.
  bodyLimitBytes: 32 * 2 ** 20,
  keepAliveMs: 10_000,
  drainGraceMs: 0,
  drainTimeoutMs: 120_000,
  metricsCompat: 'vllm',
  log: 'warn',
};

/** Flags that were given, over the environment, over the defaults. */
export function resolveConfig(
  flags: { readonly [Key in keyof ServerConfig]?: ServerConfig[Key] | undefined },
  env: Readonly<Record<string, string | undefined>> = process.env,
): ServerConfig {
  const key = env['TF_API_KEY'];
  const keys = flags.apiKeys ?? (key === undefined || key === '' ? [] : [key]);
  const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
  return { ...defaultConfig, ...given, apiKeys: keys };
}

/** Keys of a file: one a line; blank lines and lines that begin with # are skipped. */
export function readApiKeys(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}
