// Tiny GGUF files with logits, and broken ones that must be refused (goldens/README.md, "gguf").

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CheckpointError } from '../../libs/engine-native/src/checkpoint/checkpoint-error.ts';
import { loadCheckpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';
import { tokenizerFromJson } from '../../libs/engine-native/src/tokenizer/from-tokenizer-json.ts';
import type { Tokenizer } from '../../libs/engine-native/src/tokenizer/tokenizer.ts';
import { checkModel, floatBar, quantizedBar, type PromptGolden } from './compare-logits.ts';
import { goldensIn, readJson } from './files.ts';
import { renderChat, type ChatMessages } from './render-chat.ts';
import { Difference, expectSame, type Report } from './report.ts';

interface Tokens {
  readonly strings: readonly { readonly text: string; readonly ids: readonly number[]; readonly decoded: string }[];
  readonly chat: readonly {
    readonly messages: ChatMessages;
    readonly kwargs: Readonly<Record<string, unknown>>;
    readonly text: string;
    readonly ids: readonly number[];
  }[];
}

interface GgufGolden {
  readonly tokens?: Tokens;
  readonly files: Readonly<Record<string, { readonly weights: string; readonly prompts: readonly PromptGolden[] }>>;
}

const floatWeights = new Set(['F32', 'F16', 'BF16']);

const form = { file: 'expected.json', keys: ['files'] };
const badName = /^bad-.*\.gguf$/;

export function checkGguf(path: string, report: Report): void {
  for (const { folder, only, data } of goldensIn<GgufGolden>(path, form, report)) {
    const isAsked = (name: string): boolean => only === null || only === name;
    const bad = readdirSync(folder).filter((name) => badName.test(name));
    const files = Object.entries(data.files);
    if (only !== null && !bad.includes(only) && !Object.hasOwn(data.files, only)) {
      report.refuse(path, `${join(folder, form.file)} says nothing of it`);
    }
    for (const [file, { weights, prompts }] of files.filter(([name]) => isAsked(name))) {
      const bar = floatWeights.has(weights) ? floatBar : quantizedBar;
      report.run(file, () => checkModel(join(folder, file), prompts, bar));
    }
    const [first] = files[0]!;
    if (data.tokens !== undefined && isAsked(first)) checkTokenizers(folder, first, data.tokens, report);
    for (const file of bad.filter(isAsked)) report.run(file, () => checkRefused(join(folder, file)));
  }
}

/** The tokenizer of the folder's files, and the same in Hugging Face's form where it is there. */
function checkTokenizers(folder: string, file: string, tokens: Tokens, report: Report): void {
  report.run('tokens', () => checkTokens(join(folder, file), tokens));
  const json = join(folder, 'tokenizer.json');
  if (!existsSync(json)) return;
  report.run('tokenizer.json', () => checkStrings(tokenizerFromJson(readJson(json), null), tokens));
}

function checkTokens(path: string, tokens: Tokens): string {
  const checkpoint = loadCheckpoint(path);
  const { tokenizer } = checkpoint;
  if (tokenizer === null) throw new Difference(`${basename(path)} has no tokenizer`);
  const detail = checkStrings(tokenizer, tokens);
  for (const [i, chat] of tokens.chat.entries()) {
    expectSame(`chat ${i} as one text`, tokenizer.encode(chat.text), chat.ids);
    const pieces = renderChat(checkpoint, chat.messages, chat.kwargs);
    expectSame(`chat ${i}`, pieces.map((piece) => piece.text).join(''), chat.text);
    expectSame(`chat ${i} in pieces`, tokenizer.encodePieces(pieces), chat.ids);
  }
  return `${detail}, ${tokens.chat.length} chats`;
}

function checkStrings(tokenizer: Tokenizer, tokens: Tokens): string {
  for (const { text, ids, decoded } of tokens.strings) {
    expectSame(`ids of ${JSON.stringify(text)}`, tokenizer.encode(text), ids);
    expectSame(`text of ${JSON.stringify(text)}`, tokenizer.decode(ids), decoded);
  }
  return `${tokens.strings.length} strings`;
}

/** Buffers a reader may hold besides the file's bytes. */
const slackBytes = 4 * 1024 * 1024;

function checkRefused(path: string): string {
  const before = process.memoryUsage().arrayBuffers;
  try {
    loadCheckpoint(path);
  } catch (error) {
    if (!(error instanceof CheckpointError))
      throw new Difference(`refused by ${(error as Error).name}: ${(error as Error).message}`);
    const reserved = process.memoryUsage().arrayBuffers - before;
    if (reserved > statSync(path).size + slackBytes)
      throw new Difference(`reserved ${reserved} bytes before it was refused`);
    return `refused: ${error.message.slice(path.length + 2)}`;
  }
  throw new Difference('not refused');
}
