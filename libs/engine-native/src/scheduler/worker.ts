// The engine worker's thread. Between rounds it takes the commands that have come; with nothing to run it sleeps.

import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Command, Report } from './reports.ts';
import { WorkerLoop, type WorkerInput } from './worker-loop.ts';

const port = parentPort as MessagePort;
const post = (report: Report) => port.postMessage(report);

function main(): void {
  let loop: WorkerLoop;
  try {
    loop = new WorkerLoop(workerData as WorkerInput, post);
  } catch (error) {
    post({ type: 'failed', message: (error as Error).message });
    return;
  }
  post({ type: 'ready', card: loop.card });
  port.on('message', (command: Command) => {
    // All that has come by now, then rounds until there is nothing to run.
    let open = loop.take(command);
    while (open) {
      for (;;) {
        const more = receiveMessageOnPort(port) as { message: Command } | undefined;
        if (more === undefined) break;
        open = loop.take(more.message) && open;
      }
      if (!open || !loop.round()) break;
    }
    if (!open) port.close();
  });
}

main();
