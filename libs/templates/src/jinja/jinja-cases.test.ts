// Small templates against what Jinja2 makes of them (testdata/jinja-cases.json, by make-jinja-cases.py).

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseJson } from '../json-text.ts';
import { JinjaTemplate } from './template.ts';
import { Text } from './text.ts';
import { Dict, List, TemplateError, type Value } from './values.ts';

const file = parseJson(readFileSync(new URL('../../testdata/jinja-cases.json', import.meta.url), 'utf8')) as Dict;
const variables = new Map<string, Value>();
for (const { key, value } of (file.getText('variables') as Dict).entries.values()) {
  variables.set((key as Text).value, value);
}

/** The text; null where the template or its rendering is refused, as only these errors may do. */
function render(source: string): string | null {
  try {
    return new JinjaTemplate(source).render(variables, new Date(0)).value;
  } catch (error) {
    if (error instanceof TemplateError || error instanceof SyntaxError) return null;
    throw error;
  }
}

test('small templates print, or are refused, as Jinja2 does', () => {
  const cases = (file.getText('cases') as List).items as List[];
  const differences = cases.flatMap(({ items: [source, expected] }) => {
    const text = (expected as Text | null)?.value ?? null;
    const ours = render((source as Text).value);
    return ours === text ? [] : [{ template: (source as Text).value, jinja2: text, ours }];
  });
  expect(cases.length).toBeGreaterThan(1500);
  expect(differences).toEqual([]);
});
