// A peer: node-llama-cpp on its CPU build, one cell at a time. argv: MODEL THREADS URL_OF_ITS_INDEX.

import { chunkRows, decodePrompt, decodeTokens, longestPrompt, promptOf, serveCells } from './cells.ts';

// The part of its interface used here; it is not installed where this file is checked.
interface Sequence {
  clearHistory(): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: readonly number[]): Promise<void>;
  evaluate(tokens: readonly number[], options: object): AsyncIterable<number>;
}
interface Context {
  getSequence(): Sequence;
  dispose(): Promise<void>;
}
interface Model {
  readonly fileInfo: { readonly metadata: { readonly tokenizer: { readonly ggml: { readonly tokens: unknown[] } } } };
  createContext(options: object): Promise<Context>;
}
interface Peer {
  getLlama(options: object): Promise<{ loadModel(options: object): Promise<Model> }>;
}

const [path = '', threadsText = '', url = ''] = process.argv.slice(2);
const threads = Number(threadsText);
const peer = (await import(url)) as Peer;
const loadStart = performance.now();
const llama = await peer.getLlama({
  gpu: false,
  build: 'never',
  skipDownload: true,
  maxThreads: threads,
  logLevel: 'error',
});
const model = await llama.loadModel({ modelPath: path });
const vocabSize = model.fileInfo.metadata.tokenizer.ggml.tokens.length;

let context: Context | null = null;
let sequences: Sequence[] = [];
let shape = '';

/** One context at a time; made anew when the shape changes, outside the measured time. */
async function useContext(numSequences: number, contextSize: number): Promise<void> {
  if (shape !== `${numSequences} ${contextSize}`) {
    await context?.dispose();
    context = await model.createContext({
      sequences: numSequences,
      contextSize,
      batchSize: chunkRows,
      threads: { ideal: threads, min: threads },
      ignoreMemorySafetyChecks: true,
    });
    sequences = Array.from({ length: numSequences }, () => context!.getSequence());
    shape = `${numSequences} ${contextSize}`;
  }
  for (const sequence of sequences) await sequence.clearHistory();
}

async function prefill(length: number, seed: number): Promise<number> {
  await useContext(1, longestPrompt + 64);
  const prompt = promptOf(seed, length, vocabSize);
  const start = performance.now();
  await sequences[0]!.evaluateWithoutGeneratingNewTokens(prompt);
  return (length / (performance.now() - start)) * 1000;
}

/** Times at which the first `limit` tokens came. */
async function reply(sequence: Sequence, seed: number, limit: number): Promise<number[]> {
  const seen: number[] = [];
  const prompt = promptOf(seed, decodePrompt, vocabSize);
  for await (const _ of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
    seen.push(performance.now());
    if (seen.length === limit) return seen;
  }
  throw new Error(`the peer ended a reply after ${seen.length} tokens`);
}

async function decode(numLanes: number, seed: number): Promise<number> {
  await useContext(numLanes, 128);
  const times = await Promise.all(sequences.map((sequence, lane) => reply(sequence, seed + lane, decodeTokens + 1)));
  const start = Math.min(...times.map((seen) => seen[0]!));
  const end = Math.max(...times.map((seen) => seen.at(-1)!));
  return ((numLanes * decodeTokens) / (end - start)) * 1000;
}

await useContext(1, longestPrompt + 64);
await reply(sequences[0]!, 1, 1);
const firstTokenSeconds = (performance.now() - loadStart) / 1000;
serveCells('node-llama-cpp', firstTokenSeconds, ({ cell, seed }) =>
  cell.kind === 'prefill' ? prefill(cell.size, seed) : decode(cell.size, seed),
);
