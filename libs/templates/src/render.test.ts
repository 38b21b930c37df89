import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { RequestError } from '@tensorfold/protocol';
import { describe, expect, test } from 'vitest';
import { JinjaTemplate } from './jinja/template.ts';
import { Dict, type Value } from './jinja/values.ts';
import { parseJson } from './json-text.ts';
import { renderTemplate } from './render.ts';

// The whole set lies beside the repository; the repository has a part of it (testdata/README.md).
const shared = new URL('../../../../shared/templates/', import.meta.url);

interface Golden {
  readonly ok: boolean;
  readonly text?: string;
  readonly error?: string;
  readonly raised?: boolean;
}

function field(value: Value, name: string): Value {
  return (value as Dict).getText(name) ?? null;
}

const readText = (url: URL) => readFileSync(url, 'utf8');

describe.skipIf(!existsSync(shared))('every golden of the shared templates', () => {
  if (!existsSync(shared)) return;
  const all = parseJson(readText(new URL('scenarios.json', shared)));
  const scenarios = field(all, 'scenarios') as Dict;
  const raw = JSON.parse(readText(new URL('scenarios.json', shared))) as {
    now: string;
    scenarios: Record<string, { kwargs: Record<string, unknown>; add_generation_prompt: boolean; continue_final_message?: boolean }>;
  };
  const tokens = JSON.parse(readText(new URL('special-tokens.json', shared))) as Record<string, Record<string, string>>;
  const families = readdirSync(new URL('goldens/', shared)).map((name) => name.replace(/\.json$/, ''));
  describe.each(families)('%s', (family) => {
    const template = new JinjaTemplate(readText(new URL(`${family}.jinja`, shared)));
    const goldens = JSON.parse(readText(new URL(`goldens/${family}.json`, shared))) as Record<string, Golden>;
    test.each(Object.entries(goldens))('%s', (name, golden) => {
      const scenario = scenarios.getText(name) as Dict;
      const settings = raw.scenarios[name]!;
      if (settings.continue_final_message === true) return;
      const render = () =>
        renderTemplate(template, {
          messages: field(scenario, 'messages'),
          tools: field(scenario, 'tools'),
          kwargs: settings.kwargs,
          specialTokens: tokens[family] ?? {},
          addGenerationPrompt: settings.add_generation_prompt,
          now: new Date(raw.now),
        })
          .map(({ text }) => text)
          .join('');
      if (golden.ok) expect(render()).toBe(golden.text);
      else expect(render).toThrow(RequestError);
      if (golden.raised === true) expect(render).toThrow(golden.error);
    });
  });
});
