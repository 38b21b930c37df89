// Tiny checkpoints in Hugging Face form, each with logits of the reference (goldens/README.md, "families").

import { basename, resolve } from 'node:path';
import { checkModel, floatBar, type PromptGolden } from './compare-logits.ts';
import { goldensIn } from './files.ts';
import type { Report } from './report.ts';

const form = { file: 'expected.json', keys: ['prompts'] };

export function checkFamilies(path: string, report: Report): void {
  for (const { folder, data } of goldensIn<{ prompts: readonly PromptGolden[] }>(path, form, report)) {
    report.run(basename(resolve(folder)), () => checkModel(folder, data.prompts, floatBar));
  }
}
