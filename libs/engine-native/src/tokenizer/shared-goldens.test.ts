// Real tokenizers: only where the shared golden data lies beside the repository.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { tokenizerFromJson } from './from-tokenizer-json.ts';

const shared = new URL('../../../../../shared/tokenizers/', import.meta.url);

interface Case {
  readonly text: string;
  readonly ids: readonly number[];
  readonly decoded: string;
  readonly ids_no_added_tokens?: readonly number[];
}

describe.skipIf(!existsSync(shared)).each(['qwen3', 'llama3_2', 'gemma3', 'deepseek_v3'])('%s', (name) => {
  if (!existsSync(shared)) return;
  const folder = new URL(`${name}/`, shared);
  const json: unknown = JSON.parse(gunzipSync(readFileSync(new URL('tokenizer.json.gz', folder))).toString('utf8'));
  const config: unknown = JSON.parse(readFileSync(new URL('tokenizer_config.json', folder), 'utf8'));
  const tokenizer = tokenizerFromJson(json, config);
  const { cases } = JSON.parse(readFileSync(new URL('goldens.json', folder), 'utf8')) as { cases: readonly Case[] };

  test('every text has the reference ids, and every list of ids the reference text', () => {
    for (const { text, ids, decoded } of cases) {
      expect(tokenizer.encode(text), text).toEqual(ids);
      expect(tokenizer.decode(ids)).toBe(decoded);
    }
  });

  test('caller text has the ids that it has without added tokens', () => {
    for (const { text, ids_no_added_tokens: plain } of cases) {
      if (plain !== undefined)
        expect(tokenizer.encodePieces([{ text, source: 'caller' }], { addBos: false }), text).toEqual(plain);
    }
  });

  test('no caller text holds a marker', () => {
    for (const { text } of cases) {
      const ids = tokenizer.encode(text, { addedTokens: 'none' });
      expect(
        ids.filter((id) => tokenizer.isAdded(id)),
        text,
      ).toEqual([]);
    }
  });
});
