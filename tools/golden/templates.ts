// Real chat templates against Jinja2's text (goldens/README.md, "templates").

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JinjaTemplate } from '../../libs/templates/src/jinja/template.ts';
import { Dict, type Value } from '../../libs/templates/src/jinja/values.ts';
import { parseJson } from '../../libs/templates/src/json-text.ts';
import { renderTemplate } from '../../libs/templates/src/render.ts';
import { foldersWith, readJson } from './files.ts';
import { Difference, expectSame, type Report } from './report.ts';

interface Scenario {
  readonly kwargs: Readonly<Record<string, unknown>>;
  readonly add_generation_prompt: boolean;
  readonly continue_final_message?: boolean;
}

interface Golden {
  readonly ok: boolean;
  readonly text?: string;
  readonly error?: string;
  readonly raised?: boolean;
}

export function checkTemplates(path: string, report: Report): void {
  for (const folder of foldersWith(path, 'scenarios.json')) {
    const { now, scenarios } = readJson<{ now: string; scenarios: Record<string, Scenario> }>(
      join(folder, 'scenarios.json'),
    );
    // Once more with numbers as they were written: 1.0 is not 1.
    const exact = member(parseJson(readFileSync(join(folder, 'scenarios.json'), 'utf8')), 'scenarios');
    const tokens = readJson<Record<string, Record<string, string>>>(join(folder, 'special-tokens.json'));
    for (const file of readdirSync(join(folder, 'goldens'))
      .filter((name) => name.endsWith('.json'))
      .sort()) {
      const family = file.replace(/\.json$/, '');
      const goldens = readJson<Record<string, Golden>>(join(folder, 'goldens', file));
      const template = (): JinjaTemplate => new JinjaTemplate(readFileSync(join(folder, `${family}.jinja`), 'utf8'));
      for (const [name, golden] of Object.entries(goldens)) {
        const scenario = scenarios[name]!;
        // A feature of transformers around the template, not of the template.
        if (scenario.continue_final_message === true) continue;
        report.run(`${family} ${name}`, () => {
          const values = member(exact, name);
          const render = (): string =>
            renderTemplate(template(), {
              messages: member(values, 'messages'),
              tools: member(values, 'tools'),
              kwargs: scenario.kwargs,
              specialTokens: tokens[family] ?? {},
              addGenerationPrompt: scenario.add_generation_prompt,
              now: new Date(now),
            })
              .map((piece) => piece.text)
              .join('');
          return checkRender(render, golden);
        });
      }
    }
  }
}

function member(value: Value, name: string): Value {
  return value instanceof Dict ? (value.getText(name) ?? null) : null;
}

function checkRender(render: () => string, golden: Golden): string {
  if (golden.ok) {
    const text = render();
    expectSame('text', text, golden.text);
    return `${text.length} characters`;
  }
  let message: string | null = null;
  try {
    render();
  } catch (error) {
    message = (error as Error).message;
  }
  if (message === null) throw new Difference(`rendered, expected the error ${JSON.stringify(golden.error)}`);
  if (golden.raised === true && !message.includes(golden.error ?? '')) {
    throw new Difference(`the error is ${JSON.stringify(message)}, expected ${JSON.stringify(golden.error)}`);
  }
  return 'refused';
}
