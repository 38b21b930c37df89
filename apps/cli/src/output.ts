// What leaves the process: data to stdout, everything else to stderr, and a status that scripts can read.

/** 128 + signal for those that a signal ended. Printed by `tf --help`. */
export const exitCodes = {
  done: 0,
  failure: 1,
  usage: 2,
  unreachable: 3,
  notFound: 4,
  verification: 5,
  cutByLimit: 6,
  refused: 7,
  interrupted: 130,
  closedPipe: 141,
} as const;

export const exitCodesHelp = `
Exit codes: 0 done, 1 failure, 2 usage error, 3 cannot reach the server, 4 not found, 5 verification or exactness
failed, 6 reply cut by the limit, 7 refused by the server, 130 Ctrl-C, 141 closed pipe.
Environment: TF_HOST (server for tf health), TF_API_KEY, TF_KERNEL, NO_COLOR, FORCE_COLOR. No telemetry.`;

/** A failure that is told in one line, without a stack. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Version of every JSON document the commands print; keys are only added within one. */
export const SCHEMA_VERSION = 1;

export function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify({ schema_version: SCHEMA_VERSION, ...document })}\n`);
}

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Two columns, the first as wide as its longest. */
export function printTable(rows: readonly (readonly [string, string | number])[]): void {
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) printLine(`${bold(name.padEnd(width), process.stdout)}  ${value}`);
}

export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Says that something takes a while: a spinner line on a terminal, one plain line elsewhere. Call the result when done. */
export function progress(text: string, isQuiet: boolean): () => void {
  if (isQuiet) return () => {};
  if (process.stderr.isTTY !== true || process.env['TERM'] === 'dumb') {
    note(`${text} ...`);
    return () => {};
  }
  const startedAt = performance.now();
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000);
    process.stderr.write(`\r\u001B[2K${text} ... ${seconds} s`);
  };
  draw();
  const timer = setInterval(draw, 1000);
  return () => {
    clearInterval(timer);
    process.stderr.write('\r\u001B[2K');
  };
}

export function usesColor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env['NO_COLOR'] !== undefined) return false;
  if (env['FORCE_COLOR'] !== undefined) return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

export function bold(text: string, stream: NodeJS.WriteStream): string {
  return usesColor(stream) ? `\u001B[1m${text}\u001B[22m` : text;
}

/** 668 MiB, 1.4 GiB */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** All of stdin, or null where it is a terminal. */
export async function readStdin(): Promise<string | null> {
  if (process.stdin.isTTY === true) return null;
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += chunk as string;
  return text;
}

/** A reader that closes the pipe ends the command quietly. */
export function leaveOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exit(error.code === 'EPIPE' ? exitCodes.closedPipe : exitCodes.failure);
  });
}
