// `tf verify`: is the contract of docs/exactness.md kept, here, now, on this machine? Every check asks the same thing
// twice under different conditions and compares the token hash.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { GenerationRequest, PromptPiece, TokenId } from '@tensorfold/protocol';
import type { EngineLike, EngineOptions } from './engine.ts';

/** One question: a text, and how it is sampled. */
export interface VerifyQuestion {
  readonly prompt: string;
  readonly temperature: number;
  readonly maxTokens: number;
  /** An earlier question and its answer, which the prompt continues. */
  readonly after?: { readonly question: VerifyQuestion; readonly answer: Answer };
}

export interface VerifyConditions {
  readonly draft: boolean;
  readonly background: boolean;
  /** Answers with equal salts may share a cached prefix. */
  readonly salt: string;
}

export interface Answer {
  /** Equal exactly where the answers are: the token hash, and the logits' where they can be had. */
  readonly hash: string;
  readonly text: string;
  readonly ids: readonly TokenId[];
}

export type Ask = (question: VerifyQuestion, conditions: VerifyConditions) => Promise<Answer>;

export interface CheckResult {
  readonly name: string;
  readonly compared: number;
  readonly differing: number;
  /** Of the first difference, or null. */
  readonly example: { readonly prompt: string; readonly expected: string; readonly got: string } | null;
}

export interface Verification {
  readonly checks: readonly CheckResult[];
  /** SHA-256 over the serial answers' hashes: the same on every machine for one model, numeric version and questions. */
  readonly repliesSha256: string;
}

export const builtInQuestions: readonly VerifyQuestion[] = [
  'List the days of the week, one a line, three times over.',
  'Repeat exactly: the quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog.',
  'Write a short story about a lighthouse keeper and a storm.',
  'function add(a, b) {\n  return a + b;\n}\nfunction sub(a, b) {\n  return',
].flatMap((prompt) => [
  { prompt, temperature: 0, maxTokens: 48 },
  { prompt, temperature: 0.8, maxTokens: 48 },
]);

let salts = 0;
/** Never used before: nothing cached is found. */
const freshSalt = () => `verify-${process.pid}-${(salts += 1)}`;

/** The checks that any server can be put to. */
export async function verifyAsk(questions: readonly VerifyQuestion[], ask: Ask): Promise<Verification> {
  const serial = () => ({ draft: false, background: false, salt: freshSalt() });
  const drafted = (salt = freshSalt()) => ({ draft: true, background: false, salt });
  const inTurn = async (answer: (question: VerifyQuestion, index: number) => Promise<Answer>) => {
    const answers: Answer[] = [];
    for (const [index, question] of questions.entries()) answers.push(await answer(question, index));
    return answers;
  };
  const reference = await inTurn((question) => ask(question, serial()));
  const against = (name: string, answers: readonly Answer[], expected = reference) =>
    compare(name, questions, expected, answers);

  const results = [against('drafted = serial', await inTurn((question) => ask(question, drafted())))];
  results.push(
    against('concurrent = solo', await Promise.all(questions.map((question) => ask(question, drafted())))),
    against(
      'background = foreground',
      await Promise.all(questions.map((q, index) => ask(q, { ...drafted(), background: index % 2 === 0 }))),
    ),
  );
  const salts = questions.map(() => freshSalt());
  await inTurn((question, index) =>
    ask({ ...question, maxTokens: Math.ceil(question.maxTokens / 2) }, drafted(salts[index])),
  );
  results.push(against('resumed = fresh', await inTurn((question, index) => ask(question, drafted(salts[index])))));
  // A next turn: the prompt goes on behind the whole answer, found in the cache or read anew.
  const next = questions.map((question, index) => ({
    ...question,
    prompt: '\nGo on, please.',
    maxTokens: 16,
    after: { question, answer: reference[index]! },
  }));
  const cold = await inTurn((_, index) => ask(next[index]!, serial()));
  const warm = await inTurn((_, index) => ask(next[index]!, drafted(salts[index])));
  results.push(against('next turn = fresh', warm, cold));
  const replies = createHash('sha256').update(reference.map(({ hash }) => `${hash}\n`).join(''));
  return { checks: results, repliesSha256: replies.digest('hex') };
}

/**
 * All checks on engines of our own: those of `verifyAsk`, and one engine each with whole prompts, short chunks, few
 * pages (so that lanes are preempted) and one thread. `load` gives an engine; it is closed here.
 */
export async function verifyEngine(
  options: EngineOptions,
  load: (options: EngineOptions) => Promise<EngineLike>,
  questions: readonly VerifyQuestion[] = builtInQuestions,
  onProgress: (text: string) => void = () => {},
): Promise<Verification> {
  const results: CheckResult[] = [];
  const withEngine = async <T>(changes: Partial<EngineOptions>, use: (ask: Ask) => Promise<T>): Promise<T> => {
    const engine = await load({ contextTokens: 2048, ...options, ...changes });
    try {
      return await use(askEngine(engine));
    } finally {
      await engine.close();
    }
  };
  const serially = async (ask: Ask, some: readonly VerifyQuestion[]) => {
    const answers: Answer[] = [];
    for (const question of some)
      answers.push(await ask(question, { draft: false, background: false, salt: freshSalt() }));
    return answers;
  };
  // Scalar kernels are slow on a real checkpoint: two questions, a few tokens each.
  const few = questions.slice(0, 2).map((question) => ({ ...question, maxTokens: 8 }));
  const { repliesSha256, all, fewAnswers } = await withEngine({}, async (ask) => {
    onProgress('drafted, concurrent, resumed');
    const { checks, repliesSha256 } = await verifyAsk(questions, ask);
    results.push(...checks);
    return { repliesSha256, all: await serially(ask, questions), fewAnswers: await serially(ask, few) };
  });
  const variants = [
    {
      name: 'chunked = whole',
      changes: { chunkTokens: 7, decodeShare: 1 },
      some: questions,
      expected: all,
      disturb: false,
    },
    { name: 'preempted = undisturbed', changes: { lanes: 2 }, some: questions, expected: all, disturb: true },
    { name: '1 thread = all threads', changes: { threads: 1 }, some: questions, expected: all, disturb: false },
    {
      name: 'scalar = fastest kernels',
      changes: { kernel: 'scalar' },
      some: few,
      expected: fewAnswers,
      disturb: false,
    },
  ];
  for (const { name, changes, some, expected, disturb } of variants) {
    onProgress(name);
    const got = await withEngine(changes, (ask) =>
      Promise.all(
        some.map((question, index) =>
          ask(question, { draft: true, background: disturb && index % 2 === 0, salt: freshSalt() }),
        ),
      ),
    );
    results.push(compare(name, some, expected, got));
  }
  return { checks: results, repliesSha256 };
}

/** Asks an engine directly: the question's text as a plain prompt. */
export function askEngine(engine: EngineLike): Ask {
  return async (question, conditions) => {
    const request: GenerationRequest = {
      prompt: promptIds(engine, question),
      maxTokens: question.maxTokens,
      sampling: { temperature: question.temperature, topP: 0.95, topK: 40, minP: 0.01, seed: 7n },
      stop: [],
      ignoreEos: true,
      draft: conditions.draft,
      priority: conditions.background ? 'background' : 'foreground',
      cacheSalt: conditions.salt,
      hashLogits: true,
      thinking: null,
      forcedToolCall: null,
    };
    const ids: TokenId[] = [];
    let text = '';
    for await (const event of engine.submit(request)) {
      if (event.type === 'finish') return { hash: `${event.stats.tokenSha} ${event.stats.logitsHash}`, text, ids };
      text += event.pieces.map((piece) => piece.text).join('');
      ids.push(...event.pieces.flatMap((piece) => (piece.id === null ? [] : [piece.id])));
    }
    throw new Error('the reply did not finish');
  };
}

function promptIds(engine: EngineLike, question: VerifyQuestion): TokenId[] {
  const before =
    question.after === undefined ? [] : [...promptIds(engine, question.after.question), ...question.after.answer.ids];
  return [...before, ...encodeOrBytes(engine, [{ text: question.prompt, source: 'template' }])];
}

/** A checkpoint without a tokenizer is asked with bytes for ids. */
function encodeOrBytes(engine: EngineLike, pieces: readonly PromptPiece[]): TokenId[] {
  try {
    return engine.encode(pieces);
  } catch {
    return [...Buffer.from(pieces.map((piece) => piece.text).join(''))].map((byte) => byte % engine.card.vocabSize);
  }
}

function compare(
  name: string,
  questions: readonly VerifyQuestion[],
  expected: readonly Answer[],
  got: readonly Answer[],
): CheckResult {
  const differing = questions.flatMap((question, index) => {
    const [a, b] = [expected[index]!.hash, got[index]!.hash];
    return a === b ? [] : [{ prompt: question.prompt, expected: a, got: b }];
  });
  return { name, compared: questions.length, differing: differing.length, example: differing[0] ?? null };
}

/** SHA-256 over the bytes of files, in order. */
export async function digestFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
