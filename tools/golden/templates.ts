// Real chat templates against Jinja2's text (goldens/README.md, "templates").

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { JinjaTemplate } from '../../libs/templates/src/jinja/template.ts';
import { Dict, type Value } from '../../libs/templates/src/jinja/values.ts';
import { parseJson } from '../../libs/templates/src/json-text.ts';
import { renderTemplate } from '../../libs/templates/src/render.ts';
import { goldensIn, readGolden } from './files.ts';
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

interface Scenarios {
  readonly now: string;
  readonly scenarios: Readonly<Record<string, Scenario>>;
}

type Tokens = Readonly<Record<string, Readonly<Record<string, string>>>>;

const form = { file: 'scenarios.json', keys: ['now', 'scenarios'] };

export function checkTemplates(path: string, report: Report): void {
  for (const { folder, only, data } of goldensIn<Scenarios>(path, form, report)) {
    const names = existsSync(join(folder, 'goldens')) ? readdirSync(join(folder, 'goldens')).sort() : [];
    const families = names.filter((name) => name.endsWith('.json')).map((name) => basename(name, '.json'));
    const asked = families.filter((family) => only === null || only === `${family}.jinja` || only === `${family}.json`);
    if (asked.length === 0) report.refuse(path, `no goldens/FAMILY.json in ${folder} for it`);
    // Numbers as they were written: 1.0 is not 1.
    const values = member(parseJson(readFileSync(join(folder, form.file), 'utf8')), 'scenarios');
    const tokens = readGolden<Tokens>(join(folder, 'special-tokens.json'), [], report) ?? {};
    for (const family of asked) checkFamily(folder, family, { data, values, tokens: tokens[family] ?? {} }, report);
  }
}

interface Inputs {
  readonly data: Scenarios;
  /** What `data` has under `scenarios`, by name. */
  readonly values: Value;
  readonly tokens: Readonly<Record<string, string>>;
}

function checkFamily(folder: string, family: string, { data, values, tokens }: Inputs, report: Report): void {
  const goldens = readGolden<Readonly<Record<string, Golden>>>(join(folder, 'goldens', `${family}.json`), [], report);
  if (goldens === null) return;
  const templatePath = join(folder, `${family}.jinja`);
  if (!existsSync(templatePath)) {
    report.refuse(templatePath, 'no such file');
    return;
  }
  const template = readFileSync(templatePath, 'utf8');
  for (const [name, golden] of Object.entries(goldens)) {
    const scenario = data.scenarios[name];
    report.run(`${family} ${name}`, () => {
      if (scenario === undefined) throw new Difference(`${form.file} has no such scenario`);
      const render = (): string => {
        const pieces = renderTemplate(new JinjaTemplate(template), {
          messages: member(member(values, name), 'messages'),
          tools: member(member(values, name), 'tools'),
          kwargs: scenario.kwargs,
          specialTokens: tokens,
          addGenerationPrompt: scenario.add_generation_prompt,
          continueFinalMessage: scenario.continue_final_message ?? false,
          now: new Date(data.now),
        });
        return pieces.map((piece) => piece.text).join('');
      };
      return checkRender(render, golden);
    });
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
