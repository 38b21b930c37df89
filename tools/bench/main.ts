// npm run bench -- [options] MODEL.gguf ... : ours and the peer on the same file, interleaved; with --engine, what the
// engine's own parts gain (concurrency, drafts, the prefix cache, priorities). docs/benchmarks.md says how to read it.

import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { cells } from './cells.ts';
import { chartOf } from './chart.ts';
import { type CellResult, compare, compareTable } from './compare.ts';
import { benchEngine } from './engine.ts';

const usage = `usage: npm run bench -- [options] MODEL.gguf ...
  --threads N   compute threads of either side (2)
  --reps N      runs of each side that count (3)
  --cells A,B   of: ${cells.map((cell) => cell.name).join(', ')}
  --no-peer     ours alone
  --engine      measure the engine through its public door instead
  --json FILE   all runs
  --svg FILE    chart of the ratios`;

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      threads: { type: 'string', default: '2' },
      reps: { type: 'string', default: '3' },
      cells: { type: 'string', default: cells.map((cell) => cell.name).join(',') },
      'no-peer': { type: 'boolean', default: false },
      engine: { type: 'boolean', default: false },
      json: { type: 'string' },
      svg: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [threads, reps] = [Number(values.threads), Number(values.reps)];
  const names = values.cells.split(',');
  const unknown = names.filter((name) => !cells.some((cell) => cell.name === name));
  if (positionals.length === 0 || unknown.length > 0 || ![threads, reps].every((n) => Number.isInteger(n) && n > 0)) {
    if (unknown.length > 0) console.error(`no such cell: ${unknown.join(', ')}`);
    console.error(usage);
    return 2;
  }
  if (values.engine) {
    const report = [];
    for (const path of positionals) {
      console.log(`\n${basename(path)}, the engine, ${threads} threads, medians of ${reps}\n`);
      report.push({ model: basename(path), rows: await benchEngine(path, threads, reps) });
    }
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
    return 0;
  }
  const results: CellResult[] = [];
  for (const path of positionals) {
    const chosen = cells.filter((cell) => names.includes(cell.name));
    const ofModel = await compare(path, { cells: chosen, threads, reps, peer: !values['no-peer'] });
    console.log(`\n${basename(path)}, ${threads} threads, medians of ${reps}\n\n${compareTable(ofModel)}`);
    results.push(...ofModel);
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  if (values.svg !== undefined) {
    const bars = results.flatMap(({ model, cell, ratio, pairRatios }) =>
      ratio === null
        ? []
        : [
            {
              label: positionals.length > 1 ? `${basename(model, '.gguf')} ${cell}` : cell,
              value: ratio,
              low: Math.min(...pairRatios),
              high: Math.max(...pairRatios),
            },
          ],
    );
    writeFileSync(values.svg, chartOf('tokens/s, ours over the peer', bars));
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
