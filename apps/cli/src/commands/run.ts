// tf run [MODEL] [PROMPT]: one reply, in this process. Its text to stdout, nothing else.

import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { embeddedName } from '../embedded-model.ts';
import {
  addEngineFlags,
  addSamplingFlags,
  addThinkingFlags,
  collect,
  type EngineFlags,
  type SamplingFlags,
  type ThinkingFlags,
} from '../flags.ts';
import { engineOptions, modelOrEmbedded } from '../models.ts';
import { CliError, exitCodes, printJson, progress, readStdin } from '../output.ts';

export interface RunOptions extends EngineFlags, SamplingFlags, ThinkingFlags {
  readonly system?: string;
  readonly stop?: readonly string[];
  readonly raw?: boolean;
  readonly showThinking?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function runCommand(): Command {
  const command = new Command('run')
    .description('write one reply to a prompt')
    .argument('[model]', 'path of a GGUF file or of a Hugging Face folder (default: the embedded tf-demo)')
    .argument('[prompt]', 'the prompt; without it, or beside it, what comes in on stdin')
    .option('--system <text>', 'system message')
    .option('--stop <text>', 'end before this text; repeat for more', collect)
    .option('--raw', 'no chat template: continue the prompt as text');
  addEngineFlags(command);
  addSamplingFlags(command);
  addThinkingFlags(command);
  return command
    .option('--show-thinking', 'what the model thinks, to stderr')
    .option('--json', 'the whole reply as one JSON document')
    .option('--quiet', 'nothing on stderr but errors')
    .addHelpText(
      'before',
      'Examples:\n  tf run "What is 12 + 30?"\n  tf run model.gguf "Name three rivers."\n  tf run model.gguf "Summarise:" < notes.txt\n',
    )
    .action((first: string | undefined, second: string | undefined, options: RunOptions) =>
      run(...modelAndPrompt(first, second), options),
    );
}

/** One argument that is neither there nor named like a model is a prompt for the embedded one. */
export function modelAndPrompt(
  first: string | undefined,
  second: string | undefined,
): [model: string | undefined, prompt: string | undefined] {
  if (first === undefined || second !== undefined) return [first, second];
  const isModel = existsSync(first) || first === embeddedName || /\.gguf$|^\.{0,2}\/\S*$/i.test(first);
  return isModel ? [first, undefined] : [undefined, first];
}

export async function run(given: string | undefined, argument: string | undefined, options: RunOptions): Promise<void> {
  const path = modelOrEmbedded(given, options.quiet ?? false);
  const engine = engineOptions(path, { parallel: 1, ...options });
  const prompt = promptText(argument, await readStdin());
  const [server, protocol] = await Promise.all([import('@tensorfold/server'), import('@tensorfold/protocol')]);
  const config = server.resolveConfig({ maxTokens: options.maxTokens });
  const isRaw = options.raw === true;
  const body = requestBody(prompt, options);
  const chat = isRaw ? null : protocol.parseChatRequest(body);
  const loaded = progress(`loading ${path}`, options.quiet ?? false);
  const model = await server.loadModel(engine).finally(loaded);
  try {
    const controller = new AbortController();
    process.once('SIGINT', () => controller.abort(new CliError('stopped', exitCodes.interrupted)));
    const plan =
      chat === null
        ? server.planCompletion(protocol.parseCompletionRequest(body), model, config)
        : server.planChat(chat, model, config);
    const events = watched(server.generate(plan, model, controller.signal), options);
    const head = server.replyHead(isRaw ? 'cmpl' : 'chatcmpl', model);
    const reply = isRaw ? await server.completion(events, head) : await server.chatCompletion(events, head);
    if (options.json === true) printJson(reply);
    else process.stdout.write('\n');
    const isCut = reply.choices[0]?.finish_reason === 'length';
    process.exitCode = isCut ? exitCodes.cutByLimit : exitCodes.done;
  } finally {
    // An engine left open would keep the process.
    await model.engine.close();
  }
}

/** The argument, then what came in: an instruction and what it is about. */
export function promptText(argument: string | undefined, input: string | null): string {
  const text = [argument, input?.replace(/\r?\n$/, '')]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n');
  if (text === '') throw new CliError('no prompt: give one as an argument or on stdin', exitCodes.usage);
  return text;
}

function requestBody(prompt: string, options: RunOptions): object {
  const system = options.system === undefined ? [] : [{ role: 'system', content: options.system }];
  return {
    ...(options.raw === true ? { prompt } : { messages: [...system, { role: 'user', content: prompt }] }),
    max_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    min_p: options.minP,
    seed: options.seed,
    draft: options.draft,
    stop: options.stop,
    reasoning_effort: options.reasoningEffort,
    thinking_budget: options.thinkingBudget,
  };
}

type Events = ReturnType<(typeof import('@tensorfold/server'))['generate']>;

/** Text as it comes, unless one document is wanted at the end. */
async function* watched(events: Events, options: RunOptions): Events {
  for await (const event of events) {
    if (options.json !== true && event.type === 'content-delta') process.stdout.write(event.text);
    if (options.showThinking === true && event.type === 'reasoning-delta') process.stderr.write(event.text);
    yield event;
  }
}
