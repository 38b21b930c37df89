// Builds the addon from source into prebuilds/<platform>/. Called by `nx build-native engine-native`.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const platform = `${process.platform}-${process.arch}`;
const buildFolder = join(root, 'build', platform);
const cmakeJs = join(dirname(require.resolve('cmake-js/package.json')), 'bin', 'cmake-js');
const addonApi = dirname(require.resolve('node-addon-api/package.json'));

const { status } = spawnSync(
  process.execPath,
  [
    cmakeJs,
    'compile',
    '--directory',
    root,
    '--out',
    buildFolder,
    `--CDTF_NODE_ADDON_API=${addonApi}`,
    '--parallel',
    '2',
  ],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(status ?? 1);
const target = join(root, 'prebuilds', platform);
mkdirSync(target, { recursive: true });
// By a rename: a running server keeps the file that it has mapped.
const built = join(target, 'tensorfold.node');
copyFileSync(join(buildFolder, 'Release', 'tensorfold.node'), `${built}.new`);
renameSync(`${built}.new`, built);
