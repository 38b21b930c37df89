// tf serve [MODEL]: one line when ready, a drain on SIGTERM.

import { Command, Option } from 'commander';
import {
  addEngineFlags,
  addSamplingFlags,
  addThinkingFlags,
  askedKvDtype,
  collect,
  numberBetween,
  wholeBetween,
  type EngineFlags,
  type SamplingFlags,
  type ThinkingFlags,
} from '../flags.ts';
import { engineOptions, modelOrEmbedded } from '../models.ts';
import { bytesText, CliError, exitCodes, note, printJson, printLine, progress } from '../output.ts';

export interface ServeOptions extends EngineFlags, SamplingFlags, ThinkingFlags {
  readonly host?: string;
  readonly port?: number;
  readonly alias?: readonly string[];
  readonly apiKey?: readonly string[];
  readonly apiKeyFile?: string;
  readonly compat?: 'agents';
  readonly metricsCompat?: 'vllm' | 'none';
  readonly drainGrace?: number;
  readonly drainTimeout?: number;
  readonly logRequests?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly dryRun?: boolean;
}

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve a model over the OpenAI API')
    .argument('[model]', 'path of a GGUF file or of a Hugging Face folder (default: the embedded tf-demo)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'port; 0 takes a free one (default: 8080)', wholeBetween(0, 65_535))
    .option('--alias <name>', 'name to serve the model under; repeat for more', collect)
    .option('--api-key <key>', 'key that opens the API; repeat for more (also TF_API_KEY)', collect)
    .option('--api-key-file <path>', 'file with a key a line');
  addEngineFlags(command);
  addSamplingFlags(command);
  addThinkingFlags(command);
  return command
    .addOption(
      new Option('--compat <clients>', 'agents: skip what coding agents send and this server does not run').choices([
        'agents',
      ]),
    )
    .addOption(new Option('--metrics-compat <names>', 'metric names beside our own').choices(['vllm', 'none']))
    .option(
      '--drain-grace <seconds>',
      'after SIGTERM, time in which new requests are still taken',
      numberBetween(0, 3600),
    )
    .option('--drain-timeout <seconds>', 'after that, time running replies may take', numberBetween(0, 86_400))
    .option('--log-requests', 'a line a request on stderr; never prompts or replies')
    .option('--dry-run', 'print what would be served, and leave')
    .option('--json', 'one JSON line when ready')
    .option('--quiet', 'nothing on stderr but errors')
    .addHelpText(
      'before',
      'Examples:\n  tf serve\n  tf serve qwen3-0.6b-q8_0.gguf\n  tf serve ./my-model --port 0 --json\n',
    )
    .action((model: string | undefined, options: ServeOptions) => run(model, options));
}

export async function run(given: string | undefined, options: ServeOptions): Promise<void> {
  const model = modelOrEmbedded(given, options.quiet ?? false);
  const { readApiKeys, resolveConfig, serve } = await import('@tensorfold/server');
  const engine = engineOptions(model, options);
  if (options.dryRun === true) {
    const { describe } = await import('./models.ts');
    return describe(model, {
      json: options.json ?? false,
      context: options.context,
      kvDtype: askedKvDtype(options),
    });
  }
  const config = resolveConfig({
    host: options.host,
    port: options.port,
    apiKeys: keysOf(options, readApiKeys),
    aliases: options.alias,
    maxTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    topK: options.topK,
    minP: options.minP,
    seed: options.seed,
    draft: options.draft,
    reasoningEffort: options.reasoningEffort,
    thinkingBudget: options.thinkingBudget,
    compatAgents: options.compat === undefined ? undefined : options.compat === 'agents',
    metricsCompat: options.metricsCompat,
    drainGraceMs: options.drainGrace === undefined ? undefined : options.drainGrace * 1000,
    drainTimeoutMs: options.drainTimeout === undefined ? undefined : options.drainTimeout * 1000,
    log: options.logRequests === true ? 'info' : options.quiet === true ? 'silent' : undefined,
  });
  const loaded = progress(`loading ${model}`, options.quiet ?? false);
  const server = await serve({ engine, config })
    .finally(loaded)
    .catch((error: unknown) => {
      throw listenError(error, config.host, config.port);
    });
  const { windowTokens, lanes, memoryBytes } = server.model.engine.card;
  const ready = { url: server.url, model: server.model.id, window: windowTokens, lanes, memory_bytes: memoryBytes };
  if (options.json === true) printJson(ready);
  else {
    printLine(
      `ready: ${server.url}/v1  model ${ready.model}  window ${windowTokens}  lanes ${lanes}  memory ${bytesText(memoryBytes)}`,
    );
  }
  process.exit(await leaveBySignal(() => server.stop(), config.drainTimeoutMs, options.quiet ?? false));
}

function keysOf(options: ServeOptions, readFile: (path: string) => string[]): string[] | undefined {
  if (options.apiKey === undefined && options.apiKeyFile === undefined) return undefined;
  const fromFile = options.apiKeyFile === undefined ? [] : readFile(options.apiKeyFile);
  const keys = [...(options.apiKey ?? []), ...fromFile];
  // A file emptied by mistake must not open the server.
  if (keys.length === 0) throw new CliError(`--api-key-file ${options.apiKeyFile}: no key in it`, exitCodes.usage);
  return keys;
}

function listenError(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new CliError(`${host}:${port} is taken; stop what listens there or give another --port`);
  if (code === 'EACCES') return new CliError(`${host}:${port} needs more rights; give a --port above 1023`);
  if (code === 'ENOTFOUND') return new CliError(`--host ${host} is no address and no name that resolves`);
  if (code === 'EADDRNOTAVAIL') return new CliError(`--host ${host} is no address of this machine`);
  return error;
}

/** Waits for SIGTERM or Ctrl-C, drains, and gives the exit code. A second signal leaves at once. */
async function leaveBySignal(stop: () => Promise<void>, drainTimeoutMs: number, isQuiet: boolean): Promise<number> {
  const signal = await nextSignal();
  if (!isQuiet) note(`${signal}: draining for up to ${drainTimeoutMs / 1000} s; again to leave at once`);
  const code = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.done;
  const isDrained = await Promise.race([stop().then(() => true), nextSignal(sameSignalMs).then(() => false)]);
  return isDrained ? code : exitCodes.interrupted;
}

/** One Ctrl-C comes twice under `npm start`: from the terminal and from the parent that passes it on. */
const sameSignalMs = 500;

/** The next SIGTERM or SIGINT; those of the first `deafMs` are passed over. */
function nextSignal(deafMs = 0): Promise<NodeJS.Signals> {
  const since = performance.now();
  return new Promise((resolve) => {
    const take = (signal: NodeJS.Signals): void => {
      if (performance.now() - since < deafMs) return;
      process.off('SIGTERM', take).off('SIGINT', take);
      resolve(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}
