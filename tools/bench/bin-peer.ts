// A peer given as binaries: llama-bench (prefill, one lane) and llama-batched-bench (many lanes), or programs that take
// their flags and print what they print. Each run is a process of its own: it loads, measures, ends.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type CellOrder, decodePrompt, decodeTokens } from './cells.ts';
import type { Contender, Run } from './contender.ts';

export interface BinPeerOptions {
  /** llama-bench, or the folder that holds it. */
  readonly path: string;
  /** Passed to both programs, e.g. `-rtr 1` where it repacks at load. */
  readonly args: readonly string[];
  readonly threads: number;
  readonly model: string;
}

export class BinPeer implements Contender {
  readonly name: string;
  readonly firstTokenSeconds = null;
  peakRssBytes: number | null = null;
  private readonly options: BinPeerOptions;
  private readonly single: string;
  private readonly batched: string;

  /** Throws where there is no llama-bench. */
  constructor(options: BinPeerOptions) {
    this.options = options;
    ({ single: this.single, batched: this.batched } = findBinaries(options.path));
    this.name = [`${basename(dirname(this.single))}/${basename(this.single)}`, ...options.args].join(' ');
  }

  async measure(order: CellOrder): Promise<Run> {
    return { tokensPerSecond: await this.rate(order), othersShare: null };
  }

  close(): void {}

  private async rate({ cell }: CellOrder): Promise<number> {
    const { model, threads, args } = this.options;
    const shared = ['-m', resolve(model), '-t', String(threads)];
    if (cell.kind === 'prefill' || cell.size === 1) {
      const sizes =
        cell.kind === 'prefill' ? ['-p', String(cell.size), '-n', '0'] : ['-p', '0', '-n', String(decodeTokens)];
      const { out } = await this.run(this.single, [...shared, ...sizes, '-r', '1', '-o', 'json', ...args]);
      return rateOfBench(out);
    }
    const context = cell.size * (decodePrompt + decodeTokens);
    const sizes = ['-npp', String(decodePrompt), '-ntg', String(decodeTokens), '-npl', String(cell.size)];
    // Each lane reads a prompt of its own there by default.
    const all = [...shared, '-c', String(context), ...sizes, ...batchedArgs(args)];
    const { out, errors } = await this.run(this.batched, all);
    // Forks print the table with their log, on stderr.
    return rateOfBatchedBench(`${out}\n${errors}`, cell.size);
  }

  private run(program: string, args: readonly string[]): Promise<{ out: string; errors: string }> {
    return new Promise((done, failed) => {
      // Some write a log into the folder that they run in.
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: tmpdir() });
      let [out, errors] = ['', ''];
      child.stdout.on('data', (data: Buffer) => (out += data.toString()));
      child.stderr.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(-20_000)));
      const timer = setInterval(() => this.notePeak(child.pid), 200);
      child.on('error', failed);
      child.on('close', (status) => {
        clearInterval(timer);
        if (status === 0) done({ out, errors });
        else failed(new Error(`${program} ${args.join(' ')} ended with status ${status}:\n${errors.slice(-2000)}`));
      });
    });
  }

  private notePeak(pid: number | undefined): void {
    const path = `/proc/${pid}/status`;
    if (pid === undefined || !existsSync(path)) return;
    const peak = /VmHWM:\s*(\d+) kB/.exec(readFileSync(path, 'utf8'))?.[1];
    if (peak !== undefined) this.peakRssBytes = Math.max(this.peakRssBytes ?? 0, Number(peak) * 1024);
  }
}

function findBinaries(path: string): { single: string; batched: string } {
  const full = resolve(path);
  if (!existsSync(full)) throw new Error(`--peer-bin ${path}: no such file or folder`);
  const single = statSync(full).isDirectory() ? join(full, 'llama-bench') : full;
  if (!existsSync(single)) throw new Error(`--peer-bin ${path}: no llama-bench in it`);
  return { single, batched: join(dirname(single), basename(single).replace('llama-bench', 'llama-batched-bench')) };
}

/** llama-bench's switches take a value (`-rtr 1`), llama-batched-bench's do not, and the value 0 leaves them out. */
export function batchedArgs(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < args.length; i += 1) {
    const [name, value] = [args[i]!, args[i + 1]];
    if (!['-rtr', '--run-time-repack'].includes(name) || !['0', '1'].includes(value ?? '')) out.push(name);
    else {
      if (value === '1') out.push(name);
      i += 1;
    }
  }
  return out;
}

/** Tokens per second of the one test in llama-bench's `-o json`. Throws where there is none. */
export function rateOfBench(text: string): number {
  // Other output may stand around the list.
  const [first, last] = [text.search(/^\s*\[\s*$/m), text.lastIndexOf(']')];
  const tests = first < 0 ? [] : (JSON.parse(text.slice(first, last + 1)) as { avg_ts?: number }[]);
  const rate = tests.at(-1)?.avg_ts;
  if (rate === undefined) throw new Error(`no avg_ts in what llama-bench printed:\n${text.slice(0, 500)}`);
  return rate;
}

/** Decode tokens per second, all lanes together, from llama-batched-bench's table. Throws where there is no row for them. */
export function rateOfBatchedBench(text: string, lanes: number): number {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((field) => field.trim()));
  const head = rows.find((row) => row.includes('S_TG t/s'));
  if (head !== undefined) {
    const [laneColumn, rateColumn] = [head.indexOf('B'), head.indexOf('S_TG t/s')];
    const row = rows.find((candidate) => Number(candidate[laneColumn]) === lanes);
    const rate = Number(row?.[rateColumn]);
    if (rate > 0) return rate;
  }
  throw new Error(`no row of ${lanes} lanes in what llama-batched-bench printed:\n${text.slice(0, 500)}`);
}
