// What the engine's own parts gain, through its public door. Every comparison is interleaved; a fresh cache salt keeps
// runs from resuming each other's prompts.

import { type Engine, loadEngine } from '@tensorfold/engine-native';
import type { GenerationRequest, ReplyStats } from '@tensorfold/protocol';
import { loadCheckpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';
import { renderChat } from '../golden/render-chat.ts';
import { median, show, showRange, tableOf } from './numbers.ts';
import { serveStart } from './serve-start.ts';

export interface EngineRow {
  readonly what: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly note: string;
}

interface Timed {
  readonly firstSeconds: number;
  /** From the first token to the end. */
  readonly decodeSeconds: number;
  readonly stats: ReplyStats;
}

const longTokens = 4000;
const windowTokens = 4608;

const text = `The harbour office opens at six. Before that the keeper walks the east pier, counts the boats that came in at
night and writes their names on the slate by the door. On Monday there were nine: four trawlers, two tugs, a dredger
and a pair of yachts from the north. The dredger had lost a chain and lay across two berths, so the ferry of half past
seven had to wait outside until its crew found a winch. Nobody was angry. The baker sent down a tray of rolls, the
ferry's passengers waved from the rail, and a boy on the pier sold eleven newspapers that he had meant to sell in town.
By eight the wind had turned west. The keeper raised the second flag, moved the yachts to the inner basin and wrote
the hour beside each name. Two of the trawlers asked for ice, one for diesel and one for a doctor, because the cook had
cut his thumb. The doctor came on a bicycle, sewed the thumb with five stitches, drank a cup of coffee in the galley
and rode home along the canal. In the afternoon it rained. The keeper closed the shutters, lit the lamp over the desk
and copied the slate into the book: nine arrivals, six departures, no damage, one thumb.`;
const code = `function total(orders) {
  let sum = 0;
  for (const order of orders) {
    if (order.cancelled) continue;
    const price = order.price * order.count;
    sum += price - price * order.discount;
  }
  return sum;
}

function report(orders) {
  const lines = [];
  for (const order of orders) {
    const state = order.cancelled ? 'cancelled' : 'open';
    lines.push(order.name + ': ' + order.count + ' x ' + order.price + ' (' + state + ')');
  }
  lines.push('total: ' + total(orders));
  return lines.join('\\n');
}
`;
const topics = ['a lighthouse', 'a train at night', 'a market', 'a river in spring', 'an old clock', 'a garden'];

export async function benchEngine(path: string, threads: number, reps: number): Promise<EngineRow[]> {
  const start = await serveStart(path, threads, reps);
  const checkpoint = loadCheckpoint(path);
  const contextTokens = Math.min(windowTokens, checkpoint.spec.contextTokens);
  const engine = await loadEngine({ model: path, threads, lanes: 16, contextTokens });
  const chat = (content: string) => engine.encode(renderChat(checkpoint, [{ role: 'user', content }], {}));
  try {
    const rows = [start, ...(await chats(engine, chat, reps))];
    const rename = `Rename the function "total" to "sumOf" in this code and return the whole code.\n\n\`\`\`js\n${code}\`\`\``;
    rows.push(await drafted(engine, 'edit of code: serial time / drafted time', chat(rename), reps));
    const verbatim = `Repeat the following text word for word, with nothing before or after it.\n\n${text.slice(0, 600)}`;
    rows.push(await drafted(engine, 'repeated text: serial time / drafted time', chat(verbatim), reps));
    const prose = 'Write a long story about a sailor who finds a map.';
    rows.push(await drafted(engine, 'prose: serial time / drafted time', chat(prose), reps));
    if (contextTokens >= longTokens + 64) {
      const long = chat(`${text}\n\n`.repeat(16)).slice(0, longTokens);
      rows.push(await resumed(engine, long, reps), ...(await foreground(engine, long, chat('Say hello.'), reps)));
    }
    console.log(
      tableOf(
        ['what', 'median', 'min..max', 'unit', 'note'],
        rows.map(({ what, values, unit, note }) => [what, show(median(values)), showRange(values), unit, note]),
      ),
    );
    return rows;
  } finally {
    await engine.close();
  }
}

let numSalts = 0;
const freshSalt = () => `bench-${(numSalts += 1)}`;

function requestOf(prompt: readonly number[], maxTokens: number, more: Partial<GenerationRequest>): GenerationRequest {
  return {
    prompt,
    maxTokens,
    sampling: { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 0n },
    stop: [],
    ignoreEos: true,
    draft: true,
    priority: 'foreground',
    cacheSalt: freshSalt(),
    thinking: null,
    forcedToolCall: null,
    ...more,
  };
}

async function run(engine: Engine, request: GenerationRequest): Promise<Timed> {
  const start = performance.now();
  let first = 0;
  for await (const event of engine.submit(request)) {
    if (first === 0) first = performance.now();
    if (event.type === 'finish') {
      const decodeSeconds = (performance.now() - first) / 1000;
      return { firstSeconds: (first - start) / 1000, decodeSeconds, stats: event.stats };
    }
  }
  throw new Error('a reply without an end');
}

/** Tokens of all replies over the time from submit to the last end, prompts included. */
async function chats(engine: Engine, chat: (content: string) => number[], reps: number): Promise<EngineRow[]> {
  const counts = [1, 8, 16];
  const rates = counts.map((): number[] => []);
  for (let rep = -1; rep < reps; rep += 1) {
    for (const [index, count] of counts.entries()) {
      const requests = Array.from({ length: count }, (_, i) =>
        requestOf(chat(`Write paragraph ${i + 1} of a story about ${topics[i % topics.length]}.`), 64, {}),
      );
      const start = performance.now();
      const replies = await Promise.all(requests.map((request) => run(engine, request)));
      const tokens = replies.reduce((sum, { stats }) => sum + stats.completionTokens, 0);
      if (rep >= 0) rates[index]!.push((tokens / (performance.now() - start)) * 1000);
    }
  }
  return counts.map((count, index) => ({
    what: `${count} concurrent chats, aggregate`,
    unit: 'tok/s',
    values: rates[index]!,
    note: `${(median(rates[index]!) / median(rates[0]!)).toFixed(2)}x of one`,
  }));
}

async function drafted(engine: Engine, what: string, prompt: readonly number[], reps: number): Promise<EngineRow> {
  const values: number[] = [];
  let note = '';
  for (let rep = 0; rep < reps; rep += 1) {
    const fast = await run(engine, requestOf(prompt, 300, { draft: true, ignoreEos: false }));
    const serial = await run(engine, requestOf(prompt, 300, { draft: false, ignoreEos: false }));
    if (fast.stats.tokenSha !== serial.stats.tokenSha) throw new Error(`${what}: drafts changed the reply`);
    values.push(serial.decodeSeconds / fast.decodeSeconds);
    const { draftedTokens, acceptedTokens, rounds } = fast.stats;
    note = `${acceptedTokens} of ${draftedTokens} drafts held; ${rounds} rounds for ${fast.stats.completionTokens} tokens, same reply`;
  }
  return { what, unit: 'x', values, note };
}

async function resumed(engine: Engine, long: readonly number[], reps: number): Promise<EngineRow> {
  const values: number[] = [];
  let note = '';
  for (let rep = 0; rep < reps; rep += 1) {
    const cacheSalt = freshSalt();
    const cold = await run(engine, requestOf(long, 1, { cacheSalt }));
    const again = await run(engine, requestOf([...long, ...long.slice(100, 108)], 1, { cacheSalt }));
    values.push(cold.firstSeconds / again.firstSeconds);
    note = `${show(cold.firstSeconds * 1000)} ms to ${show(again.firstSeconds * 1000)} ms, ${again.stats.cachedTokens} tokens cached`;
  }
  return { what: `${long.length}-token prompt: first token cold / resumed`, unit: 'x', values, note };
}

/** A short request comes while a long background prompt is being read. */
async function foreground(
  engine: Engine,
  long: readonly number[],
  short: readonly number[],
  reps: number,
): Promise<EngineRow[]> {
  const rounds: number[] = [];
  const ratios: number[] = [];
  let note = '';
  for (let rep = 0; rep < reps; rep += 1) {
    const alone = await run(engine, requestOf(short, 1, {}));
    const before = engine.health().roundsTotal;
    const background = run(engine, requestOf(long, 1, { priority: 'background' }));
    while (engine.health().roundsTotal < before + 3) await new Promise((resolve) => setTimeout(resolve, 1));
    const atSubmit = engine.health().roundsTotal;
    const busy = await run(engine, requestOf(short, 1, {}));
    rounds.push(engine.health().roundsTotal - atSubmit);
    const reading = engine.health().streams.prefilling > 0 || engine.health().requestsRunning > 0;
    await background;
    ratios.push(busy.firstSeconds / alone.firstSeconds);
    note = `${show(alone.firstSeconds * 1000)} ms alone, ${show(busy.firstSeconds * 1000)} ms${reading ? '' : '; the background was already read'}`;
  }
  return [
    {
      what: 'foreground during a background prompt: rounds to first token',
      unit: 'rounds',
      values: rounds,
      note: 'its own included',
    },
    { what: 'foreground during a background prompt: first token / alone', unit: 'x', values: ratios, note },
  ];
}
