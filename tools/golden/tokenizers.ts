// Real tokenizers: ids, decoded texts and streams (goldens/README.md, "tokenizers").

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Detokenizer } from '../../libs/engine-native/src/tokenizer/detokenizer.ts';
import { tokenizerFromJson } from '../../libs/engine-native/src/tokenizer/from-tokenizer-json.ts';
import type { Tokenizer } from '../../libs/engine-native/src/tokenizer/tokenizer.ts';
import { goldensIn, readJson } from './files.ts';
import { Difference, expectSame, type Report } from './report.ts';

interface Case {
  readonly text: string;
  readonly ids: readonly number[];
  readonly decoded: string;
  readonly ids_special_as_text?: readonly number[];
  readonly decoded_special_as_text?: string;
  readonly ids_no_added_tokens?: readonly number[];
  readonly decoded_without_special?: string;
}

interface Stream {
  readonly ids: readonly number[];
  readonly pieces: readonly (string | null)[];
}

interface TokenizerGolden {
  readonly cases: readonly Case[];
  readonly streams: readonly Stream[];
}

const form = { file: 'goldens.json', keys: ['cases'] };

export function checkTokenizers(path: string, report: Report): void {
  for (const { folder, data } of goldensIn<TokenizerGolden>(path, form, report)) {
    report.run(basename(resolve(folder)), () => checkTokenizer(folder, data));
  }
}

function checkTokenizer(folder: string, { cases, streams }: TokenizerGolden): string {
  const config = join(folder, 'tokenizer_config.json');
  const tokenizer = tokenizerFromJson(
    readJson(join(folder, 'tokenizer.json')),
    existsSync(config) ? readJson(config) : null,
  );
  for (const { text, ids, decoded, ...other } of cases) {
    const what = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
    expectSame(`ids of ${what}`, tokenizer.encode(text), ids);
    expectSame(`text of ${what}`, tokenizer.decode(ids), decoded);
    const asText = other.ids_special_as_text ?? ids;
    expectSame(`special as text, ${what}`, tokenizer.encode(text, { addedTokens: 'not-special' }), asText);
    expectSame(`text of special as text, ${what}`, tokenizer.decode(asText), other.decoded_special_as_text ?? decoded);
    expectSame(
      `without special, ${what}`,
      tokenizer.decode(ids, { skipSpecial: true }),
      other.decoded_without_special ?? decoded,
    );
    if (other.ids_no_added_tokens !== undefined) {
      expectSame(`caller text ${what}`, tokenizer.encode(text, { addedTokens: 'none' }), other.ids_no_added_tokens);
    }
  }
  for (const [i, stream] of streams.entries()) checkStream(tokenizer, i, stream);
  return `${cases.length} texts, ${streams.length} streams`;
}

/**
 * The same text, never later than the reference and never half a character. Where a token ends inside a character the
 * reference holds all of that token back; ours holds the unfinished character only.
 */
function checkStream(tokenizer: Tokenizer, index: number, { ids, pieces }: Stream): void {
  const detokenizer = new Detokenizer(tokenizer, { atStart: true });
  let ours = '';
  let reference = '';
  ids.forEach((id, i) => {
    const { flushed, text } = detokenizer.push(id);
    ours += flushed + (tokenizer.isControl(id) ? '' : text);
    reference += pieces[i] ?? '';
    if (!ours.startsWith(reference)) {
      throw new Difference(
        `stream ${index}, token ${i}: ours is ${JSON.stringify(ours)}, expected ${JSON.stringify(reference)}`,
      );
    }
  });
  expectSame(`stream ${index}, text before its end`, tokenizer.decode(ids).startsWith(ours), true);
  expectSame(`stream ${index}`, ours + detokenizer.end(), tokenizer.decode(ids));
}
