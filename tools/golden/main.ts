// npm run golden -- KIND PATH... : compares folders of golden data with our code. Exit status 1: something differs.

import { checkFamilies } from './families.ts';
import { UsageError } from './files.ts';
import { checkGguf } from './gguf.ts';
import { checkQuants } from './quants.ts';
import { Report } from './report.ts';
import { checkTemplates } from './templates.ts';
import { checkTokenizers } from './tokenizers.ts';
import { checkWeights } from './weights.ts';

const kinds: Readonly<Record<string, (path: string, report: Report) => void>> = {
  families: checkFamilies,
  gguf: checkGguf,
  quants: checkQuants,
  templates: checkTemplates,
  tokenizers: checkTokenizers,
  weights: checkWeights,
};

function main(args: readonly string[]): number {
  const [kind = '', ...paths] = args;
  const check = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (check === undefined || paths.length === 0) {
    console.error(`usage: npm run golden -- KIND PATH...\nKIND: ${Object.keys(kinds).join(', ')}`);
    return 2;
  }
  const report = new Report();
  try {
    for (const path of paths) check(path, report);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
  report.end();
  return report.numFailed > 0 ? 1 : 0;
}

process.exitCode = main(process.argv.slice(2));
