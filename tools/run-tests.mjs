// npm test: builds what is missing, runs every test, ends with `N passed, N failed, N skipped`.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectFolders, resultFiles, summarize } from './ci-summary.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);

// Results of an earlier run must not count for one that never started; Nx restores those of cached tasks.
for (const file of projectFolders().flatMap(resultFiles)) rmSync(file, { force: true });

const { status } = spawnSync(
  'npx',
  [
    'nx',
    'run-many',
    '-t',
    'build-native',
    'build',
    'typecheck',
    'test',
    'test-cpp',
    '--nxBail=false',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
const isPassed = summarize();
process.exit(status === 0 && isPassed ? 0 : 1);
