// Tiny checkpoints in Hugging Face form, each with logits of the reference (goldens/README.md, "families").

import { basename, join } from 'node:path';
import { loadCheckpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';
import { checkPrompt, detailOf, floatBar, type PromptGolden } from './compare-logits.ts';
import { foldersWith, readJson } from './files.ts';
import { LoneModel } from './lone-model.ts';
import type { Report } from './report.ts';

export function checkFamilies(path: string, report: Report): void {
  for (const folder of foldersWith(path, 'expected.json')) {
    report.run(basename(folder), () => {
      const { prompts } = readJson<{ prompts: readonly PromptGolden[] }>(join(folder, 'expected.json'));
      return checkModel(folder, prompts);
    });
  }
}

function checkModel(folder: string, prompts: readonly PromptGolden[]): string {
  const { spec } = loadCheckpoint(folder);
  const longest = Math.max(...prompts.map((prompt) => prompt.ids.length + prompt.greedy.length));
  const model = new LoneModel(spec, longest);
  try {
    return detailOf(Math.max(...prompts.map((prompt) => checkPrompt(model, prompt, floatBar))));
  } finally {
    model.close();
  }
}
