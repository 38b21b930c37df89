// npm run demo-model:train [-- STATE_FOLDER] [--steps N]: the whole training as the card describes it, then the export.
// With --steps every phase has so many: a trial of the whole way in minutes.
// Needs python3 with PyTorch, NumPy and regex; the product needs none of them. Goes on where an earlier run stopped.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { recipe } from './recipe.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { steps: { type: 'string' } } });
const state = positionals[0] ?? join(tmpdir(), 'tf-demo-train');
// What train.py reads last counts.
const trial = values.steps === undefined ? [] : ['--steps', values.steps];
const python = process.env.PYTHON ?? 'python3';

mkdirSync(state, { recursive: true });
const vocabulary = join(state, 'vocabulary.json');
if (!existsSync(vocabulary)) copyFileSync(join(folder, 'vocabulary.json'), vocabulary);
let last = null;
for (const { name, flags, fromFile, averagedWith } of recipe) {
  const done = join(state, `${name}.pt`);
  if (!existsSync(done)) {
    const start = fromFile ? reread(last) : averagedWith ? averaged(averagedWith, last) : last;
    const from = start === null ? [] : ['--start', join(state, `${start}.pt`)];
    run('train.py', '--state', state, '--name', `${name}-running`, ...from, ...flags, ...trial, '--finished', done);
  }
  last = name;
}
const result = join(state, 'tf-demo.gguf');
run('export.py', '--state', state, '--name', last, '--out', result);
console.log(`tf serve ${result}`);

/** The checkpoint as its exported file has it: rounded, without the optimizers' momentum. */
function reread(name) {
  const file = join(state, `${name}.gguf`);
  run('export.py', '--state', state, '--name', name, '--out', file);
  run('restore.py', '--gguf', file, '--state', state, '--name', `${name}-restored`);
  return `${name}-restored`;
}

/** Halfway between an earlier phase's weights and the last one's. */
function averaged(earlier, later) {
  const name = `${earlier}-and-${later}`;
  run('average.py', '--state', state, '--names', earlier, later, '--name', name);
  return name;
}

function run(script, ...args) {
  // Threads that spin between two products make training a fifth faster.
  const env = { ...process.env, OMP_WAIT_POLICY: 'active' };
  const { status } = spawnSync(python, [join(folder, script), ...args], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
