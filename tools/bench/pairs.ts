// Products and attention of a git revision against those of this tree (libs/engine-native/cpp/bench/pairs.cc): needs git, cmake and a
// C++ compiler.

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineRoot, run } from './kernels.ts';
import { tableOf } from './numbers.ts';

export interface KernelPair {
  readonly kernel: string;
  readonly rows: number;
  /** How many times as fast this tree is: a median of pairs. */
  readonly rate: number;
  /** The same of the revision against itself. */
  readonly control: number;
  readonly sameBits: boolean;
}

/** Prints a table and returns what is in it. Throws where a build fails. */
export function compareKernels(revision: string, threads: number): KernelPair[] {
  const commit = run('git', ['rev-parse', '--verify', `${revision}^{commit}`]).trim();
  const scratch = mkdtempSync(join(tmpdir(), 'tf-pairs-'));
  const tree = join(scratch, 'tree');
  run('git', ['worktree', 'add', '--detach', tree, commit]);
  try {
    const before = join(tree, 'libs', 'engine-native');
    for (const file of ['work.cc', 'work.h']) {
      copyFileSync(join(engineRoot, 'cpp', 'bench', file), join(before, 'cpp', 'bench', file));
    }
    const libraries = [
      kernelLibrary(before, join(scratch, 'before')),
      kernelLibrary(engineRoot, join(engineRoot, 'build', 'bench')),
    ];
    const pairs = join(scratch, 'pairs');
    const source = join(engineRoot, 'cpp', 'bench', 'pairs.cc');
    const core = join(engineRoot, 'build', 'bench', 'libtf_core.a');
    compile('-O2', '-I', join(engineRoot, 'cpp'), source, core, '-o', pairs, '-ldl', '-pthread');
    const measured = JSON.parse(run(pairs, [...libraries, String(threads)])) as KernelPair[];
    console.log(`\nthis tree over ${revision}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, medians of pairs\n`);
    console.log(
      tableOf(
        ['kernel', 'rows', 'rate', 'control', 'bits'],
        measured.map(({ kernel, rows, rate, control, sameBits }) => [
          kernel,
          String(rows),
          rate.toFixed(3),
          control.toFixed(3),
          sameBits ? 'same' : 'OTHER',
        ]),
      ),
    );
    return measured;
  } finally {
    run('git', ['worktree', 'remove', '--force', tree]);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The engine of a tree as a shared library with the functions of work.h. */
function kernelLibrary(root: string, build: string): string {
  run('cmake', ['-S', root, '-B', build]);
  run('cmake', ['--build', build, '--target', 'tf_core', '--parallel', '2']);
  const library = join(build, 'work.so');
  const cpp = join(root, 'cpp');
  const hidden = ['-fvisibility=hidden', '-fno-gnu-unique', '-Wl,-Bsymbolic', '-Wl,--exclude-libs,ALL'];
  const source = join(cpp, 'bench', 'work.cc');
  compile(
    '-O2',
    '-fPIC',
    '-shared',
    ...hidden,
    '-I',
    cpp,
    source,
    join(build, 'libtf_core.a'),
    '-o',
    library,
    '-pthread',
  );
  return library;
}

function compile(...args: readonly string[]): void {
  run(process.env['CXX'] ?? 'c++', ['-std=c++20', ...args]);
}
