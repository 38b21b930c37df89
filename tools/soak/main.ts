// npm run soak -- MODEL [--minutes 10] [--clients 16]: clients with random requests and random cancels on one engine.
// Prints memory after warm-up and at the end, and what may not be: lanes left, replay mismatches, differing replies.

import { parseArgs } from 'node:util';
import type { GenerationRequest } from '@tensorfold/protocol';
import { loadEngine } from '@tensorfold/engine-native';

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, clients: { type: 'string', default: '16' } },
  allowPositionals: true,
});
const [model] = positionals;
if (model === undefined) {
  console.error('usage: npm run soak -- MODEL [--minutes N] [--clients N]');
  process.exit(2);
}
const engine = await loadEngine({ model, lanes: 8, contextTokens: 1024, kvBudgetBytes: 2 ** 28 });
const seconds = Number(values.minutes) * 60;
const start = performance.now();
const elapsed = () => (performance.now() - start) / 1000;
const shas = new Map<string, string>();
let finished = 0;
let cancelled = 0;
let differing = 0;

async function client(): Promise<void> {
  while (elapsed() < seconds) {
    const kind = Math.floor(Math.random() * 200);
    const length = 1 + ((kind * 37) % 300);
    const request: GenerationRequest = {
      prompt: Array.from({ length }, (_, index) => 32 + ((index * (1 + (kind % 7)) + kind) % 180)),
      maxTokens: 1 + (kind % 60),
      sampling: { temperature: kind % 2, topP: 0.95, topK: 0, minP: 0, seed: BigInt(kind) },
      stop: [],
      ignoreEos: true,
      draft: Math.random() < 0.8,
      priority: Math.random() < 0.3 ? 'background' : 'foreground',
      cacheSalt: '',
      thinking: null,
      forcedToolCall: null,
    };
    const controller = new AbortController();
    if (Math.random() < 0.2) setTimeout(() => controller.abort(new Error('cancelled')), Math.random() * 300);
    try {
      for await (const event of engine.submit(request, controller.signal)) {
        if (event.type !== 'finish') continue;
        finished += 1;
        const known = shas.get(String(kind)) ?? event.stats.tokenSha;
        shas.set(String(kind), known);
        if (known !== event.stats.tokenSha) differing += 1;
      }
    } catch (error) {
      if ((error as Error).message !== 'cancelled') throw error;
      cancelled += 1;
    }
  }
}

const megabytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);
const samples: number[] = [];
const timer = setInterval(
  () => {
    samples.push(megabytes());
    console.error(`${Math.round(elapsed())} s: ${megabytes()} MiB, ${finished} finished, ${cancelled} cancelled`);
  },
  Math.max(5000, seconds * 50),
);
await Promise.all(Array.from({ length: Number(values.clients) }, client));
clearInterval(timer);
await new Promise((resolve) => setTimeout(resolve, 500));
const health = engine.health();
const warm = samples[Math.floor(samples.length / 4)] ?? megabytes();
const report = {
  minutes: Number(values.minutes),
  finished,
  cancelled,
  differing,
  rss_mib_warm: warm,
  rss_mib_end: samples.at(-1) ?? megabytes(),
  requests_left: health.requestsRunning + health.requestsQueued,
  preemptions: health.preemptionsTotal,
  replay_mismatches: health.replayMismatchTotal,
};
console.log(JSON.stringify(report));
await engine.close();
process.exit(differing + report.requests_left + report.replay_mismatches > 0 ? 1 : 0);
