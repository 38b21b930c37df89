// Builds and runs the kernel benchmark (libs/engine-native/cpp/bench): needs cmake and a C++ compiler.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { show, tableOf } from './numbers.ts';

interface Peak {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
}

interface KernelRow {
  readonly kernel: string;
  readonly rows: number;
  readonly microseconds: number;
  readonly gigabytesPerSecond: number;
  readonly gigaopsPerSecond: number;
  /** The larger of the shares of read bandwidth and of the peak of its arithmetic. */
  readonly share: number;
  readonly bound: string;
}

export interface KernelReport {
  readonly set: string;
  readonly peaks: readonly Peak[];
  readonly kernels: readonly KernelRow[];
}

export const engineRoot = fileURLToPath(new URL('../../libs/engine-native', import.meta.url));

/** Prints tables and returns what is in them. Throws where the build or the program fails. */
export function benchKernels(threads: number, reps: number): KernelReport {
  const build = join(engineRoot, 'build', 'bench');
  run('cmake', ['-S', engineRoot, '-B', build, '-DTF_BENCH=ON']);
  run('cmake', ['--build', build, '--target', 'tf_bench', '--parallel', '2']);
  const report = JSON.parse(run(join(build, 'tf_bench'), [String(threads), String(reps)])) as KernelReport;
  console.log(`\nkernels ${report.set}, ${threads} threads, medians\n`);
  console.log(
    tableOf(
      ['peak', 'value', 'unit'],
      report.peaks.map(({ name, value, unit }) => [name, show(value), unit]),
    ),
  );
  console.log(
    `\n${tableOf(
      ['kernel', 'rows', 'us', 'GB/s', 'GOP/s', 'share of', 'peak'],
      report.kernels.map((row) => [
        row.kernel,
        String(row.rows),
        show(row.microseconds),
        show(row.gigabytesPerSecond),
        show(row.gigaopsPerSecond),
        row.bound,
        `${Math.round(100 * row.share)} %`,
      ]),
    )}`,
  );
  return report;
}

/** What it printed. Throws with all of that where it fails. */
export function run(command: string, args: readonly string[]): string {
  const { stdout, stderr, status, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? `status ${status}`}\n${stdout}${stderr}`);
}
