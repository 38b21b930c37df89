// npm run golden -- KIND PATH... : compares folders of golden data with our code.

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { addon } from '../../libs/engine-native/src/binding.ts';
import { kvDtypes } from '../../libs/engine-native/src/kv-dtype.ts';
import { checkFamilies } from './families.ts';
import { checkGguf } from './gguf.ts';
import { checkQuants } from './quants.ts';
import { Report } from './report.ts';
import { checkTemplates } from './templates.ts';
import { checkTokenizers } from './tokenizers.ts';
import { checkWeights } from './weights.ts';

const kinds: Readonly<Record<string, (path: string, report: Report, kvDtype: string) => void>> = {
  families: checkFamilies,
  gguf: checkGguf,
  quants: checkQuants,
  templates: checkTemplates,
  tokenizers: checkTokenizers,
  weights: checkWeights,
};

/** The kinds that are TypeScript only. */
const withoutAddon = new Set(['templates', 'tokenizers']);

const usage = `usage: npm run golden -- KIND [--kv-dtype TYPE] PATH...

Compares golden data with our code: one line a case, with the largest error and ok, what differs first, or why it was skipped.

  families    folders with config.json, *.safetensors and expected.json
  gguf        folders with *.gguf and expected.json (or one of their files)
  quants      folders with quants.json, or such a file
  templates   folders with scenarios.json, special-tokens.json, *.jinja and goldens/ (or one of their templates)
  tokenizers  folders with tokenizer.json and goldens.json
  weights     folders with a GGUF file and expected.json

PATH is such a folder, or one that holds several. --kv-dtype, for weights only: keep keys and values as ${kvDtypes.join(', ')}.
Exit status: 0 no case differs; 1 a case differs, or none ran; 2 wrong arguments, or a path without data of the kind.`;

function main(args: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, 'kv-dtype': { type: 'string' } },
  });
  const [kind = '', ...paths] = positionals;
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const check = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (check === undefined || paths.length === 0) {
    const problem = check === undefined ? `KIND must be one of ${Object.keys(kinds).join(', ')}` : 'PATH is missing';
    console.error(`${problem}${check === undefined && kind !== '' ? `, got ${JSON.stringify(kind)}` : ''}\n\n${usage}`);
    return 2;
  }
  const kvDtype = values['kv-dtype'];
  if (kvDtype !== undefined && (kind !== 'weights' || !kvDtypes.some((name) => name === kvDtype))) {
    console.error(`--kv-dtype is one of ${kvDtypes.join(', ')}, and for weights\n\n${usage}`);
    return 2;
  }
  if (!withoutAddon.has(kind)) buildMissingAddon();
  const report = new Report();
  for (const path of paths) check(path, report, kvDtype ?? '');
  return report.end();
}

/** Where it still cannot be loaded, each case says so. */
function buildMissingAddon(): void {
  try {
    addon();
  } catch {
    console.error('the engine is not built yet: building it');
    spawnSync('npx', ['nx', 'build-native', '@tensorfold/engine-native'], { stdio: ['ignore', 2, 2] });
  }
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
  console.error(`${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}
