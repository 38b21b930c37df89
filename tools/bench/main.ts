// npm run bench -- [options] MODEL ... : ours and its peers on the same file, interleaved; with --engine, what the
// engine's own parts gain (concurrency, drafts, the prefix cache, priorities); with --kernels, matmul and attention
// against the machine's peak; with --since, the kernels against those of a revision. README.md says how to read it.

import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { type Cell, cells } from './cells.ts';
import { type Bar, chartOf } from './chart.ts';
import { compare, compareTable, type ModelResult, ratioOf, warningOf } from './compare.ts';
import { benchEngine } from './engine.ts';
import { benchKernels } from './kernels.ts';
import { isRecipe, shapes, syntheticCheckpoint } from './make-checkpoint.ts';
import { compareKernels } from './pairs.ts';

const usage = `usage: npm run bench -- [options] MODEL ...
  MODEL           a .gguf file, or SHAPE:TYPE of random weights made on first use (e.g. qwen3-0.6b:q8_0;
                  shapes: ${Object.keys(shapes).join(', ')}; types: as GGUF names them, q4_k_m, q5_k_m)
  --threads N     compute threads of each engine (2)
  --reps N        runs of each engine that count (5)
  --cells A,B     of: ${cells.map((cell) => cell.name).join(', ')}
  --no-peer       without node-llama-cpp
  --peer-bin PATH another peer: its llama-bench, or the folder of it and llama-batched-bench
  --peer-args="S" flags for both of its programs, e.g. --peer-args="-rtr 1"
  --engine        measure the engine through its public door instead
  --kernels       measure matmul and attention alone instead (no MODEL)
  --since REV     compare the kernels of this tree with those of a git revision instead (no MODEL)
  --json FILE     all runs
  --svg FILE      chart of the ratios`;

function readArgs(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      threads: { type: 'string', default: '2' },
      reps: { type: 'string', default: '5' },
      cells: { type: 'string', default: cells.map((cell) => cell.name).join(',') },
      'no-peer': { type: 'boolean', default: false },
      'peer-bin': { type: 'string' },
      'peer-args': { type: 'string', default: '' },
      engine: { type: 'boolean', default: false },
      kernels: { type: 'boolean', default: false },
      since: { type: 'string' },
      json: { type: 'string' },
      svg: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args);
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const [threads, reps] = [Number(values.threads), Number(values.reps)];
  const names = values.cells.split(',');
  const unknown = names.filter((name) => !cells.some((cell) => cell.name === name));
  const isComplete = values.kernels || values.since !== undefined || positionals.length > 0;
  if (!isComplete || unknown.length > 0 || ![threads, reps].every((n) => Number.isInteger(n) && n > 0)) {
    if (unknown.length > 0) console.error(`no such cell: ${unknown.join(', ')}`);
    console.error(usage);
    return 2;
  }
  const writeJson = (results: object) => {
    if (values.json === undefined) return;
    const report = { schema_version: 1, environment: environment(), threads, reps, ...results };
    writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  };
  if (values.kernels) {
    writeJson({ kernels: benchKernels(threads, reps) });
    return 0;
  }
  if (values.since !== undefined) {
    writeJson({ since: values.since, kernels: compareKernels(values.since, threads) });
    return 0;
  }
  const paths = positionals.map((model) => (isRecipe(model) ? syntheticCheckpoint(model) : model));
  if (values.engine) {
    const engine = [];
    for (const path of paths) {
      console.log(`\n${basename(path)}, the engine, ${threads} threads, medians of ${reps}\n`);
      engine.push({ model: basename(path), rows: await benchEngine(path, threads, reps) });
    }
    writeJson({ engine });
    return 0;
  }
  const chosen = cells.filter((cell) => names.includes(cell.name));
  const models: ModelResult[] = [];
  for (const path of paths) {
    const result = await compare(path, {
      cells: chosen,
      threads,
      reps,
      peer: !values['no-peer'],
      peerBin: values['peer-bin'] ?? null,
      peerArgs: values['peer-args'].split(' ').filter((word) => word !== ''),
    });
    console.log(`\n${basename(path)}, ${threads} threads, medians of ${reps}\n\n${compareTable(result, chosen)}`);
    if (warningOf(result) !== '') console.log(`\n${warningOf(result)}`);
    models.push(result);
  }
  writeJson({ models });
  if (values.svg !== undefined) {
    writeFileSync(values.svg, chartOf('tokens/s, ours over the peer', ratioBars(models, chosen)));
  }
  return 0;
}

function environment(): object {
  const [first] = cpus();
  const { node } = process.versions;
  return { date: new Date().toISOString(), cpu: first?.model.trim(), cores: cpus().length, node, os: process.platform };
}

/** A bar a model, peer and cell. Labels name what there is more than one of. */
function ratioBars(models: readonly ModelResult[], chosen: readonly Cell[]): Bar[] {
  return models.flatMap(({ model, engines: [ours, ...peers] }) =>
    peers.flatMap((peer) =>
      chosen.map(({ name }) => {
        const { value, low, high } = ratioOf(ours!.rates[name]!, peer.rates[name]!);
        const label = [models.length > 1 ? basename(model, '.gguf') : '', peers.length > 1 ? peer.name : '', name];
        return { label: label.filter((part) => part !== '').join(' '), value, low, high };
      }),
    ),
  );
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true ? 2 : 1;
}
