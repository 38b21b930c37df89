import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { RequestError } from '@tensorfold/protocol';
import { describe, expect, test } from 'vitest';
import { JinjaTemplate } from './jinja/template.ts';
import { Dict, type Value } from './jinja/values.ts';
import { parseJson } from './json-text.ts';
import { renderTemplate } from './render.ts';

// The repository has a part of the goldens (testdata/README.md); the whole set may lie beside it.
const part = new URL('../testdata/', import.meta.url);
const whole = new URL('../../../../shared/templates/', import.meta.url);

interface Golden {
  readonly ok: boolean;
  readonly text?: string;
  readonly error?: string;
  readonly raised?: boolean;
}

function field(value: Value, name: string): Value {
  return (value as Dict).getText(name) ?? null;
}

const joined = (pieces: readonly { text: string }[]) => pieces.map(({ text }) => text).join('');
const readText = (url: URL) => readFileSync(url, 'utf8');

describe('the goldens of testdata', () => checkGoldens(part));
describe.skipIf(!existsSync(whole))('every golden of the shared templates', () => {
  if (existsSync(whole)) checkGoldens(whole);
});

interface Settings {
  readonly kwargs: Record<string, unknown>;
  readonly add_generation_prompt: boolean;
  readonly continue_final_message?: boolean;
}

function checkGoldens(folder: URL): void {
  const text = readText(new URL('scenarios.json', folder));
  // Messages are read by our own reader: JSON.parse would lose how numbers were written.
  const scenarios = field(parseJson(text), 'scenarios') as Dict;
  const plain = JSON.parse(text) as { now: string; scenarios: Record<string, Settings> };
  const tokens = JSON.parse(readText(new URL('special-tokens.json', folder))) as Record<string, Record<string, string>>;
  const families = readdirSync(new URL('goldens/', folder)).map((name) => name.replace(/\.json$/, ''));
  describe.each(families)('%s', (family) => {
    const template = new JinjaTemplate(readText(new URL(`${family}.jinja`, folder)));
    const goldens = JSON.parse(readText(new URL(`goldens/${family}.json`, folder))) as Record<string, Golden>;
    test.each(Object.entries(goldens))('%s', (name, golden) => {
      const scenario = scenarios.getText(name)!;
      const settings = plain.scenarios[name]!;
      const render = () =>
        renderTemplate(template, {
          messages: field(scenario, 'messages'),
          tools: field(scenario, 'tools'),
          kwargs: settings.kwargs,
          specialTokens: tokens[family] ?? {},
          addGenerationPrompt: settings.add_generation_prompt,
          continueFinalMessage: settings.continue_final_message ?? false,
          now: new Date(plain.now),
        });
      if (golden.ok) expect(joined(render())).toBe(golden.text);
      else expect(render).toThrow(RequestError);
      if (golden.raised === true) expect(render).toThrow(golden.error);
    });
  });
}
