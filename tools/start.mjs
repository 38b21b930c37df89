// npm start [-- MODEL flags]: builds what is missing, then `tf serve MODEL flags`; without MODEL, the embedded model.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Flags of `tf serve` that take no value: what follows them may be the model. */
const switches = new Set(['--draft', '--no-draft', '--json', '--quiet', '--dry-run', '--log-requests', '--help', '-h']);

const args = process.argv.slice(2);
const serveArgs = hasModel(args) ? args : withEmbeddedModel(args);
build();
serve(serveArgs);

function hasModel(given) {
  for (let at = 0; at < given.length; at += 1) {
    const arg = given[at];
    if (arg === '--help' || arg === '-h') return true;
    if (!arg.startsWith('-')) return true;
    if (!switches.has(arg) && !arg.includes('=')) at += 1;
  }
  return false;
}

function withEmbeddedModel(given) {
  const folder = join(root, 'models/tf-demo');
  const gguf = existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.gguf')) : undefined;
  if (gguf !== undefined) return [join(folder, gguf), ...given];
  console.error('npm start: this version embeds no model yet; give one: npm start -- path/to/model.gguf');
  process.exit(2);
}

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
