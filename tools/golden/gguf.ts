// Tiny GGUF files with logits, and broken ones that must be refused (goldens/README.md, "gguf").

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CheckpointError } from '../../libs/engine-native/src/checkpoint/checkpoint-error.ts';
import { loadCheckpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';
import { tokenizerFromJson } from '../../libs/engine-native/src/tokenizer/from-tokenizer-json.ts';
import type { Tokenizer } from '../../libs/engine-native/src/tokenizer/tokenizer.ts';
import { checkPrompt, detailOf, floatBar, quantizedBar, type PromptGolden } from './compare-logits.ts';
import { foldersWith, readJson } from './files.ts';
import { LoneModel } from './lone-model.ts';
import { renderChat, type ChatMessages } from './render-chat.ts';
import { Difference, expectSame, type Report } from './report.ts';

interface GgufGolden {
  readonly tokens?: {
    readonly strings: readonly { readonly text: string; readonly ids: readonly number[]; readonly decoded: string }[];
    readonly chat: readonly {
      readonly messages: ChatMessages;
      readonly kwargs: Readonly<Record<string, unknown>>;
      readonly text: string;
      readonly ids: readonly number[];
    }[];
  };
  readonly files: Readonly<Record<string, { readonly weights: string; readonly prompts: readonly PromptGolden[] }>>;
}

const floatWeights = new Set(['F32', 'F16', 'BF16']);

export function checkGguf(path: string, report: Report): void {
  for (const folder of foldersWith(path, 'expected.json')) {
    const golden = readJson<GgufGolden>(join(folder, 'expected.json'));
    for (const [file, { weights, prompts }] of Object.entries(golden.files)) {
      report.run(file, () => checkFile(join(folder, file), floatWeights.has(weights), prompts));
    }
    const { tokens } = golden;
    const [first] = Object.keys(golden.files);
    if (tokens !== undefined && first !== undefined) {
      report.run('tokens', () => checkTokens(join(folder, first), tokens));
      const json = join(folder, 'tokenizer.json');
      if (existsSync(json))
        report.run('tokenizer.json', () => checkStrings(tokenizerFromJson(readJson(json), null), tokens));
    }
    for (const file of readdirSync(folder).filter((name) => /^bad-.*\.gguf$/.test(name))) {
      report.run(file, () => checkRefused(join(folder, file)));
    }
  }
}

function checkFile(path: string, isFloat: boolean, prompts: readonly PromptGolden[]): string {
  const { spec } = loadCheckpoint(path);
  const longest = Math.max(...prompts.map((prompt) => prompt.ids.length + prompt.greedy.length));
  const model = new LoneModel(spec, longest);
  try {
    return detailOf(
      Math.max(...prompts.map((prompt) => checkPrompt(model, prompt, isFloat ? floatBar : quantizedBar))),
    );
  } finally {
    model.close();
  }
}

function checkTokens(path: string, tokens: NonNullable<GgufGolden['tokens']>): string {
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

function checkStrings(tokenizer: Tokenizer, tokens: NonNullable<GgufGolden['tokens']>): string {
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
