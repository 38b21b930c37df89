// An engine in a child process that keeps its model loaded, and is stopped (SIGSTOP) while another has its turn: a team
// of threads that spins between runs would take the other's cores.

import { type ChildProcess, fork } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { CellOrder, ChildMessage } from './cells.ts';
import type { Contender, Run } from './contender.ts';

export class Side implements Contender {
  readonly name: string;
  readonly firstTokenSeconds: number;
  peakRssBytes: number;
  private readonly child: ChildProcess;

  /** Starts `script` (a file of this folder) and waits until its model is loaded. */
  static async start(script: string, args: readonly string[]): Promise<Side> {
    const child = fork(fileURLToPath(new URL(script, import.meta.url)), args);
    const message = await answerOf(child);
    if (message.type !== 'ready') throw new Error(`${script} did not start`);
    const side = new Side(child, message);
    side.rest();
    return side;
  }

  private constructor(child: ChildProcess, ready: ChildMessage & { type: 'ready' }) {
    this.child = child;
    this.name = ready.name;
    this.firstTokenSeconds = ready.firstTokenSeconds;
    this.peakRssBytes = ready.peakRssBytes;
  }

  async measure(order: CellOrder): Promise<Run> {
    const before = machineSeconds();
    this.signal('SIGCONT');
    const answer = answerOf(this.child);
    this.child.send(order);
    const message = await answer;
    this.rest();
    if (message.type !== 'rate') {
      throw new Error(`${this.name}, ${order.cell.name}: ${message.type === 'error' ? message.message : 'no rate'}`);
    }
    const after = machineSeconds();
    const others = after.busy - before.busy - message.cpuSeconds;
    this.peakRssBytes = message.peakRssBytes;
    return {
      tokensPerSecond: message.tokensPerSecond,
      othersShare: Math.max(0, others) / (after.total - before.total),
    };
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
    const ended = (code: number | null) => reject(new Error(`an engine's process ended with status ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as ChildMessage);
    });
  });
}

function machineSeconds(): { busy: number; total: number } {
  let [busy, total] = [0, 0];
  for (const { times } of cpus()) {
    const working = times.user + times.nice + times.sys + times.irq;
    busy += working / 1000;
    total += (working + times.idle) / 1000;
  }
  return { busy, total };
}
