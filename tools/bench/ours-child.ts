// Ours: the addon driven directly, one cell at a time. argv: MODEL THREADS.

import { addon } from '../../libs/engine-native/src/binding.ts';
import { loadCheckpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';
import { chunkRows, decodePrompt, decodeTokens, longestPrompt, promptOf, serveCells } from './cells.ts';

const pageTokens = 64;
const [path = '', threads = '0'] = process.argv.slice(2);
const loadStart = performance.now();
const { spec } = loadCheckpoint(path);
const numPages = longestPrompt / pageTokens;
const model = addon().loadModel(spec, { threads: Number(threads), kernel: '', numPages });

const greedy = (index: number, position: number) => model.draw(index, 0, 0, 1, 0, 0n, position, null);

function prefill(length: number, seed: number): number {
  const prompt = promptOf(seed, length, spec.vocabSize);
  const pages = Int32Array.from({ length: numPages }, (_, page) => page);
  const start = performance.now();
  for (let first = 0; first < length; first += chunkRows) {
    const tokens = Int32Array.from(prompt.slice(first, first + chunkRows));
    const last = first + tokens.length === length;
    model.forward({
      tokens,
      positions: tokens.map((_, row) => first + row),
      lanes: new Int32Array(tokens.length),
      pageTables: [pages],
      wanted: Int32Array.from(last ? [tokens.length - 1] : []),
    });
  }
  return (length / (performance.now() - start)) * 1000;
}

/** Reads a prompt for each lane in one round and draws the token after it. Lane i has page i: prompt and reply fit. */
function readPrompts(lanes: readonly number[], seed: number): Int32Array {
  const numRows = lanes.length * decodePrompt;
  model.forward({
    tokens: Int32Array.from(lanes.flatMap((lane) => promptOf(seed + lane, decodePrompt, spec.vocabSize))),
    positions: Int32Array.from({ length: numRows }, (_, row) => row % decodePrompt),
    lanes: Int32Array.from({ length: numRows }, (_, row) => Math.floor(row / decodePrompt)),
    pageTables: lanes.map((lane) => Int32Array.of(lane)),
    wanted: Int32Array.from(lanes, (lane) => (lane + 1) * decodePrompt - 1),
  });
  return Int32Array.from(lanes, (lane) => greedy(lane, decodePrompt));
}

function decode(numLanes: number, seed: number): number {
  const lanes = Array.from({ length: numLanes }, (_, lane) => lane);
  const pageTables = lanes.map((lane) => Int32Array.of(lane));
  let tokens = readPrompts(lanes, seed);
  const start = performance.now();
  for (let position = decodePrompt; position < decodePrompt + decodeTokens; position += 1) {
    model.forward({
      tokens,
      positions: new Int32Array(numLanes).fill(position),
      lanes: Int32Array.from(lanes),
      pageTables,
      wanted: Int32Array.from(lanes),
    });
    tokens = Int32Array.from(lanes, (lane) => greedy(lane, position + 1));
  }
  return ((numLanes * decodeTokens) / (performance.now() - start)) * 1000;
}

readPrompts([0], 1);
const firstTokenSeconds = (performance.now() - loadStart) / 1000;
serveCells(`ours (${model.kernel})`, firstTokenSeconds, async ({ cell, seed }) =>
  cell.kind === 'prefill' ? prefill(cell.size, seed) : decode(cell.size, seed),
);
