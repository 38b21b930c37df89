// Asks the embedded model every case of evaluation.jsonl through the server, and writes the scores into its card.
//
//   npm run demo-model:evaluate -- [MODEL.gguf] [--write] [--show FORM] [--limit COUNT]

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { parseChatRequest } from '@tensorfold/protocol';
import { chatCompletion, generate, loadModel, planChat, replyHead, resolveConfig } from '@tensorfold/server';
import { embeddedModel } from './paths.ts';

export interface Case {
  readonly group: string;
  readonly form: string;
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly enable_thinking?: false;
  /** The reply that is right: calls in order, or the whole text. */
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly content?: string;
}

interface Result {
  readonly group: string;
  readonly form: string;
  readonly isRight: boolean;
  readonly ended: boolean;
}

const casesPath = fileURLToPath(new URL('evaluation.jsonl', import.meta.url));
const cardPath = fileURLToPath(new URL('../../models/tf-demo/README.md', import.meta.url));
const maxTokens = 1024;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, show: { type: 'string' }, limit: { type: 'string' } },
});
const cases = readFileSync(casesPath, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);
const results = await evaluate(positionals[0] ?? embeddedModel, chosen(cases));
const table = tableOf(results);
console.log(table);
if (flags.write === true) writeCard(table);

/** The first `--limit` of each form. */
function chosen(all: readonly Case[]): Case[] {
  const limit = Number(flags.limit ?? all.length);
  const counts = new Map<string, number>();
  return all.filter(({ group, form }) => {
    const key = `${group} ${form}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key)! <= limit;
  });
}

async function evaluate(path: string, asked: readonly Case[]): Promise<Result[]> {
  const lanes = 8;
  const model = await loadModel({ model: path, lanes });
  const config = resolveConfig({});
  const results: Result[] = [];
  const waiting = [...asked];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const plan = planChat(requestOf(next), model, config);
      const events = generate(plan, model, new AbortController().signal);
      const { choices } = await chatCompletion(events, replyHead('chatcmpl', model));
      const { message, finish_reason } = choices[0]!;
      const isRight = isAsExpected(next, message);
      if (!isRight && next.form === flags.show) console.log(JSON.stringify({ ...next, got: message }, null, 1));
      results.push({ ...next, isRight, ended: finish_reason !== 'length' });
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, work));
  } finally {
    await model.engine.close();
  }
  return results;
}

function requestOf({ messages, tools, enable_thinking }: Case) {
  return parseChatRequest({
    messages,
    tools,
    temperature: 0,
    max_tokens: maxTokens,
    chat_template_kwargs: enable_thinking === undefined ? undefined : { enable_thinking },
  });
}

function isAsExpected(expected: Case, message: { content?: unknown; tool_calls?: readonly any[] | null }): boolean {
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: text } }) => ({
    name,
    arguments: JSON.parse(text) as unknown,
  }));
  if (!isDeepStrictEqual(calls, expected.calls ?? [])) return false;
  return expected.content === undefined || message.content === expected.content;
}

function tableOf(all: readonly Result[]): string {
  const groups = [...new Set(all.map(({ group }) => group))].sort();
  const rows = groups.flatMap((group) => {
    const own = all.filter((result) => result.group === group);
    const forms = [...new Set(own.map(({ form }) => form))];
    const parts = forms.map((form) =>
      line(
        form,
        own.filter((result) => result.form === form),
      ),
    );
    return forms.length === 1 ? [line(`**${group}**: ${forms[0]}`, own)] : [line(`**${group}**`, own), ...parts];
  });
  const endings = share(all.filter(({ ended }) => ended).length, all.length);
  return [
    '| What | Cases | Exactly right |',
    '|---|---|---|',
    ...rows,
    `| **turn endings**, of all cases | ${endings}`,
  ].join('\n');
}

function line(name: string, own: readonly Result[]): string {
  return `| ${name} | ${share(own.filter(({ isRight }) => isRight).length, own.length)}`;
}

function share(count: number, total: number): string {
  return `${total} | ${((100 * count) / total).toFixed(1)}% |`;
}

/** Puts the table between the card's two marks. */
function writeCard(scores: string): void {
  const card = readFileSync(cardPath, 'utf8');
  const marked = /(<!-- scores -->\n)[^]*?(<!-- end of scores -->)/;
  if (!marked.test(card)) throw new Error(`${cardPath} has no marks for the scores`);
  writeFileSync(
    cardPath,
    card.replace(marked, (_all, open: string, close: string) => `${open}${scores}\n${close}`),
  );
}
