// docs/api.md names a test for each sentence of the specification: the tests are there.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const folders: Readonly<Record<string, string>> = {
  '': 'apps/server/tests/',
  P: 'libs/protocol/src/',
  T: 'libs/templates/',
  E: 'libs/engine-native/tests/',
};

const rows = readFileSync(new URL('docs/api.md', root), 'utf8')
  .split('| The specification | Where | Test |')[1]!
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('|--'))
  .map((line) => line.slice(2, -2).split(' | ') as [string, string, string]);

test('there are rows', () => {
  expect(rows.length).toBeGreaterThan(45);
});

test.each(rows)('%s', (_sentence, _where, tests) => {
  let source: string | null = null;
  let numNamed = 0;
  for (const [, folder = '', file, name] of tests.matchAll(/(?:([PTE])\/)?([\w./-]+)\.test|"([^"]+)"/g)) {
    if (file !== undefined) {
      const url = new URL(`${folders[folder]}${file}.test.ts`, root);
      expect(existsSync(url), url.pathname).toBe(true);
      source = readFileSync(url, 'utf8');
    } else {
      numNamed += 1;
      expect(source).toContain(name);
    }
  }
  expect(numNamed).toBeGreaterThan(0);
});
