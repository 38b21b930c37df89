// tf verify: checks on this machine that the same request gives the same tokens, whatever runs beside it.

import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Ask, CheckResult, Fault, Verification, VerifyQuestion } from '@tensorfold/engine-native';
import { addEngineFlags, collect, type EngineFlags, wholeBetween } from '../flags.ts';
import { engineOptions } from '../models.ts';
import { CliError, exitCodes, note, printJson, printLine } from '../output.ts';
import { serverUrl } from '../server-url.ts';

export interface VerifyOptions extends EngineFlags {
  readonly url?: string;
  readonly prompt?: readonly string[];
  readonly promptFile?: string;
  readonly maxTokens?: number;
  readonly fault?: Fault;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description('check that drafted = serial, concurrent = solo, resumed = fresh and more, on this machine')
    .argument('[model]', 'path of a GGUF file or of a Hugging Face folder')
    .option('--url <url>', 'check a running server instead, e.g. http://127.0.0.1:8080')
    .option('--prompt <text>', 'a prompt of your own; repeat for more', collect)
    .option('--prompt-file <file>', 'prompts of your own, one a line')
    .option('--max-tokens <count>', 'tokens of each reply', wholeBetween(1, 1024));
  addEngineFlags(command);
  return command
    .option('--fault <name>', 'a drill: break the contract on purpose (reorder-sum, wrong-page, kept-draft)')
    .option('--json', 'the receipt as one JSON document')
    .option('--quiet', 'nothing on stderr but errors')
    .addHelpText('before', 'Examples:\n  tf verify model.gguf\n  tf verify --url http://127.0.0.1:8080 --json\n')
    .action((model: string | undefined, options: VerifyOptions) => verify(model, options));
}

export async function verify(path: string | undefined, options: VerifyOptions): Promise<void> {
  if ((path === undefined) === (options.url === undefined)) {
    throw new CliError('give either a MODEL or --url, one of the two', exitCodes.usage);
  }
  const engine = await import('@tensorfold/engine-native');
  if (options.fault !== undefined && !engine.faults.includes(options.fault)) {
    throw new CliError(`--fault must be one of ${engine.faults.filter(Boolean).join(', ')}`, exitCodes.usage);
  }
  const questions = (await ownQuestions(options)) ?? engine.builtInQuestions;
  const say = options.quiet === true ? () => {} : note;
  let receipt: Record<string, unknown>;
  let result: Verification;
  if (path !== undefined) {
    const settings = {
      ...engineOptions(path, options),
      ...(options.fault === undefined ? {} : { fault: options.fault }),
    };
    const { spec } = engine.loadCheckpoint(settings.model);
    say(`reading ${path} ...`);
    const digest = await engine.digestFiles(spec.files);
    const probe = await engine.loadEngine({ ...settings, contextTokens: 256 });
    const { numericVersion, kernel, threads, family } = probe.card;
    await probe.close();
    receipt = { model: spec.name, family, digest_sha256: digest, numeric_version: numericVersion, kernel, threads };
    result = await engine.verifyEngine(settings, engine.loadEngine, questions, (text) => say(`checking: ${text} ...`));
  } else {
    const server = askServer(serverUrl(options.url!));
    result = await engine.verifyAsk(questions, server.ask);
    receipt = { url: options.url, ...server.seen };
  }
  report({ ...receipt, replies_sha256: result.repliesSha256 }, result.checks, options.json === true);
}

async function ownQuestions(options: VerifyOptions): Promise<VerifyQuestion[] | null> {
  const lines = options.promptFile === undefined ? [] : (await readFile(options.promptFile, 'utf8')).split('\n');
  const prompts = [...(options.prompt ?? []), ...lines.filter((line) => line.trim() !== '')];
  if (prompts.length === 0) return null;
  const maxTokens = options.maxTokens ?? 48;
  return prompts.flatMap((prompt) => [0, 0.8].map((temperature) => ({ prompt, temperature, maxTokens })));
}

/** Asks over HTTP, by the completions route; answers are told apart by their `token_sha`. */
function askServer(root: string): { readonly ask: Ask; readonly seen: Record<string, unknown> } {
  const base = `${root}/v1`;
  const seen: Record<string, unknown> = {};
  const ask: Ask = async (question, conditions) => {
    const text = promptText(question);
    const body = {
      prompt: text,
      max_tokens: question.maxTokens,
      temperature: question.temperature,
      seed: 7,
      ignore_eos: true,
      draft: conditions.draft,
      priority: conditions.background ? 'background' : undefined,
      cache_salt: conditions.salt,
    };
    const key = process.env['TF_API_KEY'];
    const headers = {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    const reply = await fetch(`${base}/completions`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
      (error: Error) => {
        throw new CliError(`cannot reach ${base}: ${error.message}`, exitCodes.unreachable);
      },
    );
    const answer = (await reply.json()) as {
      model?: string;
      choices?: { text: string }[];
      tensorfold?: { token_sha: string; numeric_version: number | string; kernel: string };
      error?: { message: string };
    };
    if (!reply.ok) throw new CliError(answer.error?.message ?? `HTTP ${reply.status}`, exitCodes.refused);
    if (answer.tensorfold === undefined) throw new CliError(`${base} gives no token_sha: not a TensorFold server`);
    const { token_sha: hash, numeric_version, kernel } = answer.tensorfold;
    Object.assign(seen, { model: answer.model, numeric_version, kernel });
    return { hash, text: answer.choices?.[0]?.text ?? '', ids: [] };
  };
  return { ask, seen };
}

function promptText(question: VerifyQuestion): string {
  const before = question.after === undefined ? '' : promptText(question.after.question) + question.after.answer.text;
  return before + question.prompt;
}

function report(receipt: Record<string, unknown>, checks: readonly CheckResult[], asJson: boolean): void {
  const differing = checks.filter((check) => check.differing > 0);
  if (asJson) {
    printJson({ ok: differing.length === 0, ...receipt, checks });
  } else {
    const width = Math.max(...checks.map((check) => check.name.length));
    for (const { name, compared, differing: count } of checks) {
      const verdict = count === 0 ? `ok, ${compared} equal` : `${count} of ${compared} DIFFER`;
      printLine(`${name.padEnd(width)}  ${verdict}`);
    }
    for (const { name, example } of differing) {
      if (example !== null)
        printLine(`${name}: ${JSON.stringify(example.prompt)} gave ${example.got}, not ${example.expected}`);
    }
    for (const [name, value] of Object.entries(receipt)) printLine(`${name}: ${String(value)}`);
  }
  if (differing.length > 0) process.exitCode = exitCodes.verification;
}
