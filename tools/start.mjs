// npm start [-- MODEL flags]: builds what is missing, then `tf serve MODEL flags`; without MODEL, that is the embedded model.

import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

build();
serve(process.argv.slice(2));

/** Output goes to stderr, so that `npm start -- MODEL --json` keeps stdout for its line. */
function build() {
  const { status } = spawnSync('npx', ['nx', 'run-many', '-t', 'build-native', 'build'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  if (status === 0) return;
  console.error('npm start: the build failed; `npm run build` shows why');
  process.exit(1);
}

function serve(given) {
  const child = spawn(process.execPath, [join(root, 'apps/cli/bin/tf.mjs'), 'serve', ...given], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}
