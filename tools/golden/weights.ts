// A real checkpoint: prompts, teacher-forced steps, and the distance from the reference (weights/SOURCES.md).

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCheckpoint, type Checkpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';
import type { Tokenizer } from '../../libs/engine-native/src/tokenizer/tokenizer.ts';
import { goldensIn } from './files.ts';
import { argmax, LoneModel } from './lone-model.ts';
import { renderChat, type ChatMessages } from './render-chat.ts';
import { Difference, expectSame, type Report } from './report.ts';

interface Step {
  readonly lead: number;
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

interface Chat {
  readonly messages: ChatMessages;
  readonly prompt: string | null;
  readonly prompt_sha256: string;
  readonly prompt_ids: readonly number[];
  readonly num_prompt_ids: number;
  readonly prompt_ids_caller_text_plain?: readonly number[];
  readonly reply_ids: readonly number[];
  readonly steps: readonly Step[];
}

interface WeightsGolden {
  readonly file: string;
  readonly strings: readonly {
    readonly text: string;
    readonly ids: readonly number[];
    readonly ids_no_added_tokens: readonly number[];
    readonly decoded: string;
  }[];
  readonly chats: Readonly<Record<string, Chat>>;
  readonly document: {
    readonly source: string;
    readonly ids_sha256: string;
    readonly first_ids: readonly number[];
    readonly positions: Readonly<
      Record<string, { readonly ids: readonly number[]; readonly logprobs: readonly number[] }>
    >;
  };
  readonly peer: { readonly document_kl_mean: number; readonly chats_kl_mean: number };
}

/** An argmax that leads by more must be ours too. */
const decidedLead = 0.2;

const form = { file: 'expected.json', keys: ['file', 'strings', 'chats', 'document', 'peer'] };

/** `kvDtype`: what keys and values are kept as; '': the checkpoint's own type. */
export function checkWeights(path: string, report: Report, kvDtype: string): void {
  for (const { folder, data } of goldensIn<WeightsGolden>(path, form, report)) {
    checkFolder(folder, data, report, kvDtype);
  }
}

function checkFolder(folder: string, golden: WeightsGolden, report: Report, kvDtype: string): void {
  const checkpoint = report.make(golden.file, () => loadCheckpoint(join(folder, golden.file)));
  if (checkpoint === null) return;
  const { tokenizer, spec } = checkpoint;
  if (tokenizer === null) {
    report.add({ name: golden.file, problem: 'the checkpoint has no tokenizer', detail: '' });
    return;
  }
  report.run('strings', () => checkStrings(tokenizer, golden));
  const prompts = new Map<string, readonly number[]>();
  for (const [name, chat] of Object.entries(golden.chats)) {
    report.run(`prompt ${name}`, () => {
      const ids = checkPrompt(checkpoint, tokenizer, chat);
      prompts.set(name, ids);
      return `${ids.length} ids`;
    });
  }
  const document = report.make('document ids', () => documentIds(folder, tokenizer, golden));
  const replies = Object.values(golden.chats).map((chat) => chat.num_prompt_ids + chat.steps.length);
  const longest = Math.max(document?.length ?? 1, ...replies);
  const model = report.make('load', () => new LoneModel(spec, longest, kvDtype));
  if (model === null) return;
  checkReplies(model, golden, prompts, report);
  if (document !== null) report.run('document', () => checkDocument(model, document, golden));
  model.close();
}

function checkStrings(tokenizer: Tokenizer, golden: WeightsGolden): string {
  for (const { text, ids, ids_no_added_tokens: plain, decoded } of golden.strings) {
    const what = JSON.stringify(text);
    expectSame(`ids of ${what}`, tokenizer.encode(text), ids);
    expectSame(`caller text ${what}`, tokenizer.encode(text, { addedTokens: 'none' }), plain);
    expectSame(`text of ${what}`, tokenizer.decode(ids), decoded);
  }
  return `${golden.strings.length} strings`;
}

/** Returns the ids that the reference's reply was made from. */
function checkPrompt(checkpoint: Checkpoint, tokenizer: Tokenizer, chat: Chat): readonly number[] {
  const pieces = renderChat(checkpoint, chat.messages, {});
  const text = pieces.map((piece) => piece.text).join('');
  if (chat.prompt !== null) expectSame('prompt', text, chat.prompt);
  expectSame('prompt digest', createHash('sha256').update(text).digest('hex'), chat.prompt_sha256);
  const whole = tokenizer.encode(text);
  expectSame('number of ids', whole.length, chat.num_prompt_ids);
  expectSame('ids', whole.slice(0, chat.prompt_ids.length), chat.prompt_ids);
  expectSame('ids of the pieces', tokenizer.encodePieces(pieces), chat.prompt_ids_caller_text_plain ?? whole);
  return whole;
}

function checkReplies(
  model: LoneModel,
  golden: WeightsGolden,
  prompts: ReadonlyMap<string, readonly number[]>,
  report: Report,
): void {
  const distances: number[] = [];
  for (const [name, chat] of Object.entries(golden.chats)) {
    const prompt = prompts.get(name);
    if (prompt === undefined) continue;
    report.run(`reply ${name}`, () => {
      const { equal, list, changed } = teacherForced(model, prompt, chat);
      distances.push(...list);
      const detail = `${equal} of ${chat.steps.length} argmaxes equal, KL ${mean(list).toFixed(6)}`;
      if (changed !== null) throw new Difference(changed, detail);
      return detail;
    });
  }
  report.run('chats', () => checkDistance(distances, golden.peer.chats_kl_mean));
}

interface Forced {
  readonly equal: number;
  /** Distance from the reference at each step. */
  readonly list: readonly number[];
  /** The first decided argmax that is not ours. */
  readonly changed: string | null;
}

function teacherForced(model: LoneModel, prompt: readonly number[], chat: Chat): Forced {
  const list: number[] = [];
  let equal = 0;
  let changed: string | null = null;
  const last = prompt.length - 1;
  model.restart();
  model.read(
    [...prompt, ...chat.reply_ids.slice(0, chat.steps.length - 1)],
    (i) => i >= last,
    (i, logits) => {
      const step = chat.steps[i - last]!;
      list.push(distance(step, logits));
      const id = argmax(logits);
      if (id === step.ids[0]) equal += 1;
      else if (step.lead > decidedLead) {
        changed ??= `step ${i - last}: ours is ${id}, expected ${step.ids[0]} (lead ${step.lead})`;
      }
    },
  );
  return { equal, list, changed };
}

/** As the golden data says where the document is: so many ids of a text beside the folder. */
function documentIds(folder: string, tokenizer: Tokenizer, { document }: WeightsGolden): readonly number[] {
  const [, count, file] = /^the first (\d+) token ids of (\S+)$/.exec(document.source) ?? [];
  if (count === undefined || file === undefined) {
    throw new Difference(`source must be "the first N token ids of FILE", is ${JSON.stringify(document.source)}`);
  }
  const ids = tokenizer.encode(readFileSync(join(folder, file), 'utf8')).slice(0, Number(count));
  expectSame('ids', ids.slice(0, document.first_ids.length), document.first_ids);
  expectSame('digest of the ids', createHash('sha256').update(ids.join(',')).digest('hex'), document.ids_sha256);
  return ids;
}

function checkDocument(model: LoneModel, ids: readonly number[], { document, peer }: WeightsGolden): string {
  const distances: number[] = [];
  model.restart();
  model.read(
    ids,
    (i) => document.positions[i] !== undefined,
    (i, logits) => distances.push(distance(document.positions[i]!, logits)),
  );
  return checkDistance(distances, peer.document_kl_mean);
}

function checkDistance(distances: readonly number[], peer: number): string {
  const ours = mean(distances);
  const detail = `mean KL ${ours.toFixed(6)} over ${distances.length} places, the peer's ${peer}`;
  if (!(ours <= peer)) throw new Difference('farther from the reference than the peer', detail);
  return detail;
}

/** KL divergence from the reference to ours, over the ids it lists and one bucket for the rest. */
function distance(
  reference: { readonly ids: readonly number[]; readonly logprobs: readonly number[] },
  logits: Float32Array,
): number {
  let max = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > max) max = logit;
  let total = 0;
  for (const logit of logits) total += Math.exp(logit - max);
  const logTotal = max + Math.log(total);
  let sum = 0;
  let listed = 0;
  let oursListed = 0;
  reference.ids.forEach((id, i) => {
    const expected = reference.logprobs[i]!;
    const ours = logits[id]! - logTotal;
    sum += Math.exp(expected) * (expected - ours);
    listed += Math.exp(expected);
    oursListed += Math.exp(ours);
  });
  const rest = Math.max(1 - listed, 1e-12);
  return sum + rest * (Math.log(rest) - Math.log(Math.max(1 - oursListed, 1e-12)));
}

function mean(list: readonly number[]): number {
  return list.reduce((sum, value) => sum + value, 0) / Math.max(list.length, 1);
}
