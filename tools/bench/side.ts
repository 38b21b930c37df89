// A child process that measures, stopped while the other side's turn lasts: neither may spin on the other's cores.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CellOrder, ChildMessage } from './cells.ts';

export class Side {
  readonly name: string;
  private readonly child: ChildProcess;

  /** Starts `script` (a file of this folder) and waits until its model is loaded. */
  static async start(script: string, args: readonly string[]): Promise<Side> {
    const child = fork(fileURLToPath(new URL(script, import.meta.url)), args);
    const message = await answerOf(child);
    if (message.type !== 'ready') throw new Error(`${script} did not start`);
    const side = new Side(child, message.name);
    side.rest();
    return side;
  }

  private constructor(child: ChildProcess, name: string) {
    this.child = child;
    this.name = name;
  }

  /** Tokens per second of one run. */
  async measure(order: CellOrder): Promise<number> {
    this.signal('SIGCONT');
    const answer = answerOf(this.child);
    this.child.send(order);
    const message = await answer;
    this.rest();
    if (message.type === 'rate') return message.tokensPerSecond;
    throw new Error(`${this.name}, ${order.cell.name}: ${message.type === 'error' ? message.message : 'no rate'}`);
  }

  close(): void {
    this.signal('SIGCONT');
    this.child.kill('SIGKILL');
  }

  private rest(): void {
    this.signal('SIGSTOP');
  }

  private signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (process.platform !== 'win32') this.child.kill(name);
  }
}

function answerOf(child: ChildProcess): Promise<ChildMessage> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a side ended with status ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as ChildMessage);
    });
  });
}
