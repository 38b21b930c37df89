// The commands of `tf`. What a command needs is loaded when it runs, so that --help is quick.

import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { healthCommand } from './commands/health.ts';
import { modelsCommand } from './commands/models.ts';
import { runCommand } from './commands/run.ts';
import { serveCommand } from './commands/serve.ts';
import { verifyCommand } from './commands/verify.ts';
import { CliError, exitCodes, exitCodesHelp, note } from './output.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

export function buildProgram(): Command {
  const program = new Command('tf')
    .description('A local LLM server with the OpenAI API, and what goes with it.')
    .version(version)
    .option('--debug', 'stacks of errors')
    .showSuggestionAfterError()
    .addHelpText('after', exitCodesHelp)
    .addCommand(serveCommand())
    .addCommand(runCommand())
    .addCommand(modelsCommand())
    .addCommand(healthCommand())
    .addCommand(verifyCommand());
  for (const command of [program, ...program.commands, ...program.commands.flatMap((inner) => inner.commands)]) {
    command.exitOverride();
  }
  return program;
}

/** Runs the command of `args` (what follows `tf`) and gives the exit code. */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    return tell(error, args.includes('--debug'));
  }
}

function tell(error: unknown, showsStack: boolean): number {
  // Commander has printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (!(error instanceof Error)) {
    note(`tf: ${String(error)}`);
    return exitCodes.failure;
  }
  note(showsStack && error.stack !== undefined ? error.stack : `tf: ${error.message}`);
  if (error instanceof CliError) return error.exitCode;
  // By name: the class comes with the server, which not every command loads.
  return error.name === 'RequestError' ? exitCodes.refused : exitCodes.failure;
}
