// npm run demo-model:train [-- STATE_FOLDER]: the whole training as the card describes it, then the export.
// Needs python3 with PyTorch, NumPy and regex; the product needs none of them. Goes on where an earlier run stopped.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recipe } from './recipe.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const state = process.argv[2] ?? join(tmpdir(), 'tf-demo-train');
const python = process.env.PYTHON ?? 'python3';

mkdirSync(state, { recursive: true });
const vocabulary = join(state, 'vocabulary.json');
if (!existsSync(vocabulary)) copyFileSync(join(folder, 'vocabulary.json'), vocabulary);
let start = null;
for (const { name, flags, fromFile } of recipe) {
  const done = join(state, `${name}.pt`);
  if (!existsSync(done)) {
    if (fromFile) start = reread(start);
    const from = start === null ? [] : ['--start', start];
    run('train.py', '--state', state, '--name', `${name}-running`, ...from, ...flags, '--finished', done);
  }
  start = done;
}
const result = join(state, 'tf-demo.gguf');
run('export.py', '--state', state, '--name', recipe.at(-1).name, '--out', result);
console.log(`tf serve ${result}`);

/** The checkpoint as its exported file has it: rounded, without the optimizers' momentum. */
function reread(checkpoint) {
  const name = basename(checkpoint, '.pt');
  const file = join(state, `${name}.gguf`);
  run('export.py', '--state', state, '--name', name, '--out', file);
  run('restore.py', '--gguf', file, '--state', state, '--name', `${name}-restored`);
  return join(state, `${name}-restored.pt`);
}

function run(script, ...args) {
  // Threads that spin between two products make training a fifth faster.
  const env = { ...process.env, OMP_WAIT_POLICY: 'active' };
  const { status } = spawnSync(python, [join(folder, script), ...args], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
