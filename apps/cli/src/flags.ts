// Flags that several commands take, and how their values are read. A wrong value names the flag (exit 2).

import { InvalidArgumentError, Option, type Command } from 'commander';
import type { KvDtype } from '@tensorfold/engine-native';

export function numberBetween(low: number, high: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== '' && Number.isFinite(number) && number >= low && number <= high) return number;
    const range = high === Infinity ? `a number of at least ${low}` : `a number between ${low} and ${high}`;
    throw new InvalidArgumentError(`It must be ${range}.`);
  };
}

export function wholeBetween(low: number, high: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== '' && Number.isSafeInteger(number) && number >= low && number <= high) return number;
    const range = high === Number.MAX_SAFE_INTEGER ? `of at least ${low}` : `between ${low} and ${high}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

export const MAX = Number.MAX_SAFE_INTEGER;
const whole = wholeBetween(-MAX, MAX);

/** A count, or `auto` for 0: the engine decides. */
const countOrAuto = (value: string): number => (value === 'auto' ? 0 : wholeBetween(1, 4096)(value));

export const collect = (value: string, previous: readonly string[] | undefined): string[] => [
  ...(previous ?? []),
  value,
];

export interface EngineFlags {
  readonly context?: number;
  readonly parallel?: number;
  readonly threads?: number;
  readonly kernel?: string;
  readonly decodeShare?: number;
  readonly kvDtype?: KvDtype | 'auto';
  readonly drafter?: string;
}

export function addEngineFlags(command: Command): Command {
  return command
    .option(
      '--context <tokens>',
      "window, prompt and reply together (default: the checkpoint's, bounded by memory)",
      wholeBetween(16, MAX),
    )
    .option('--parallel <lanes>', 'requests that share rounds, or auto', countOrAuto)
    .option('--threads <count>', 'compute threads (default: the cores this process may use)', wholeBetween(1, 1024))
    .option('--kernel <name>', 'kernel set: avx512vnni, avxvnni, avx2, neon, scalar (default: the fastest here)')
    .addOption(kvDtypeOption())
    .option('--drafter <model>', 'smaller checkpoint of the same tokenizer whose guesses are verified')
    .option(
      '--decode-share <share>',
      'share of time that running replies get while a prompt is read',
      numberBetween(0, 1),
    );
}

export function kvDtypeOption(): Option {
  return new Option(
    '--kv-dtype <type>',
    "what keys and values are kept as (default: the checkpoint's own); another type gives other numbers",
  ).choices(['auto', 'f32', 'f16', 'q8']);
}

/** The type asked for, if one was. */
export function askedKvDtype(flags: Pick<EngineFlags, 'kvDtype'>): KvDtype | undefined {
  return flags.kvDtype === 'auto' ? undefined : flags.kvDtype;
}

export interface SamplingFlags {
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly seed?: number;
  readonly draft?: boolean;
}

export function addSamplingFlags(command: Command): Command {
  return command
    .option('--max-tokens <count>', 'reply limit', wholeBetween(1, MAX))
    .option('--temperature <number>', '0 takes the likeliest token', numberBetween(0, Infinity))
    .option('--top-p <number>', 'keeps the likeliest tokens of this mass', numberBetween(0, 1))
    .option('--top-k <count>', 'keeps this many tokens; 0 keeps all', whole)
    .option('--min-p <number>', 'keeps tokens at least this likely beside the likeliest', numberBetween(0, 1))
    .option('--seed <number>', 'key of the draws (default: derived from the prompt)', whole)
    .option('--draft', 'draft tokens and verify them (the default)')
    .option('--no-draft', 'one token a round, the serial reference');
}

export interface ThinkingFlags {
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  readonly thinkingBudget?: number;
}

export function addThinkingFlags(command: Command): Command {
  const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];
  return command
    .addOption(new Option('--reasoning-effort <effort>', 'none turns thinking off').choices(efforts))
    .option('--thinking-budget <tokens>', 'tokens a think block may have; 0 is no limit', wholeBetween(0, MAX));
}
