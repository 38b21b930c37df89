// Rule 1 on tiny checkpoints: a row's logits depend on its lane's tokens up to its position and on nothing else. Every
// comparison is bit for bit, with the lane alone, in one piece, on the scalar kernels.

import type { TokenId } from '@tensorfold/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addon, type NativeModel } from '../src/binding.ts';
import type { ModelSpec } from '../src/checkpoint/model-spec.ts';
import { definedLogits, type LaneRows, openModel, randomTokens, runRound, sameBits, tinySpec } from './rounds.ts';
import { Dice } from './traffic.ts';

const models = [
  { family: 'llama', type: 'F32' },
  { family: 'llama', type: 'Q4_1', embeddingType: 'Q8_0', biases: true },
  { family: 'llama', type: 'Q4_K', numLayers: 1, ffnSize: 256 },
  { family: 'qwen3', type: 'BF16' },
  { family: 'qwen3', type: 'Q8_0', numHeads: 6, numKvHeads: 3 },
  { family: 'qwen3', type: 'Q6_K', numLayers: 1, ffnSize: 256 },
  { family: 'gemma3', type: 'Q4_0', window: 24 },
  { family: 'gemma3', type: 'MXFP4', window: 70 },
  { family: 'qwen3', type: 'Q8_0', headDim: 40, kvDtype: 'q8' },
  { family: 'gemma3', type: 'Q4_K', window: 70, kvDtype: 'q8' },
] as const;

const numPages = 24;

describe.each(models)('$family $type $kvDtype', (options) => {
  const kvDtype = 'kvDtype' in options ? options.kvDtype : '';
  let spec: ModelSpec;
  /** Lanes of several lengths, one beyond a page's 64 positions by far; two begin alike. */
  const prompts: TokenId[][] = [];
  let defined: Float32Array[][];
  const opened: NativeModel[] = [];
  const open = (kernel: string, threads: number): NativeModel => {
    const model = openModel(spec, kernel, threads, numPages, kvDtype);
    opened.push(model);
    return model;
  };

  beforeAll(() => {
    spec = tinySpec({ ...options, seed: 3 });
    const dice = new Dice(9n);
    for (const length of [150, 1, 66, 17, 64]) prompts.push(randomTokens(dice, length, spec));
    prompts[2]!.splice(0, 40, ...prompts[0]!.slice(0, 40));
    defined = definedLogits(spec, prompts, kvDtype);
  });
  afterAll(() => {
    for (const model of opened) model.close();
  });

  /** Throws where a row of the round differs from its definition. */
  function check(model: NativeModel, lanes: readonly (LaneRows & { lane: number })[], dice?: Dice): void {
    const wants = lanes.map(({ tokens }) => tokens.map(() => dice === undefined || dice.next() < 0.6));
    const logits = runRound(model, lanes, (lane, row) => wants[lane]![row]!);
    for (const [index, { lane, position }] of lanes.entries()) {
      for (const [row, got] of logits[index]!.entries()) {
        if (got !== null && !sameBits(got, defined[lane]![position + row]!)) {
          throw new Error(`${model.kernel}, ${model.threads} threads: lane ${lane}, position ${position + row}`);
        }
      }
    }
  }
  const whole = (lane: number, pages: readonly number[]) => ({ lane, pages, position: 0, tokens: prompts[lane]! });

  test('every kernel set on any number of threads gives the scalar bits', () => {
    for (const kernel of addon().kernels) {
      for (const threads of kernel === 'scalar' ? [1, 3] : [1, 2, 3, 5]) {
        const model = openModel(spec, kernel, threads, numPages, kvDtype);
        check(model, [whole(0, [0, 1, 2])]);
        check(model, [whole(3, [5])]);
        model.close();
      }
    }
  });

  test('any mix of lanes, chunks, pages and wanted rows in rounds gives the bits of the lane alone', () => {
    const variants = [open('', 1), open('', 2), open('scalar', 3), open('', 5)];
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.nat(3),
        fc.constantFrom(1, 4, 20, 200),
        (seed, variant, chunk) => {
          const dice = new Dice(seed);
          const free = shuffled(
            dice,
            Array.from({ length: numPages }, (_, page) => page),
          );
          const lanes = prompts.map((tokens, lane) => ({
            lane,
            done: 0,
            pages: free.splice(0, Math.ceil(tokens.length / 64)),
          }));
          // Pages keep what the runs before left in them.
          for (let rounds = 0; rounds < 30 && lanes.some(isOpen); rounds += 1) {
            const some = shuffled(dice, lanes.filter(isOpen)).slice(0, dice.whole(1, lanes.length));
            const round = some.map(({ lane, done, pages }) => ({
              lane,
              pages,
              position: done,
              tokens: prompts[lane]!.slice(done, done + dice.whole(1, chunk)),
            }));
            check(variants[variant]!, round, dice);
            for (const [index, lane] of some.entries()) lane.done += round[index]!.tokens.length;
          }
          function isOpen({ lane, done }: { lane: number; done: number }): boolean {
            return done < prompts[lane]!.length;
          }
        },
      ),
      { numRuns: 5, seed: 1 },
    );
  });

  test('drafts read in one round give the bits of one row a round, and wrong ones leave no trace', () => {
    const dice = new Dice(4n);
    const model = open('', 2);
    const pages = [7, 3, 11];
    const tokens = prompts[0]!;
    check(model, [{ lane: 0, pages, position: 0, tokens: tokens.slice(0, 50) }]);
    for (let position = 50; position < tokens.length;) {
      const right = dice.whole(1, 6);
      const drafted = tokens.slice(position, position + right);
      const wrong = randomTokens(dice, dice.whole(0, 5), spec);
      const logits = runRound(model, [{ pages, position, tokens: [...drafted, ...wrong] }, whole(3, [5])])[0]!;
      for (const [row] of drafted.entries()) expect(sameBits(logits[row]!, defined[0]![position + row]!)).toBe(true);
      position += drafted.length;
    }
  });

  test('a copied page continues like its original', () => {
    const model = open('', 1);
    const shared = prompts[0]!.slice(0, 40);
    check(model, [{ lane: 0, pages: [0], position: 0, tokens: shared }]);
    model.copyPage(0, 9);
    check(model, [{ lane: 2, pages: [9, 4], position: 40, tokens: prompts[2]!.slice(40) }]);
    check(model, [{ lane: 0, pages: [0, 1, 2], position: 40, tokens: prompts[0]!.slice(40) }]);
  });

  test('a round that is refused changes nothing', () => {
    const model = open('', 1);
    check(model, [{ lane: 2, pages: [0, 1], position: 0, tokens: prompts[2]!.slice(0, 60) }]);
    const bad: LaneRows[] = [
      { pages: [0, 1], position: 20, tokens: [1, 2, spec.vocabSize] },
      { pages: [0, 1], position: 20, tokens: [1, -1] },
      { pages: [0, 1], position: 126, tokens: [1, 2, 3] },
      { pages: [0, numPages], position: 0, tokens: [1] },
      { pages: [-1], position: 0, tokens: [1] },
      { pages: [0], position: -1, tokens: [1] },
      { pages: [0], position: 0, tokens: [] },
    ];
    for (const lane of bad) expect(() => runRound(model, [lane])).toThrow();
    check(model, [{ lane: 2, pages: [0, 1], position: 60, tokens: prompts[2]!.slice(60) }]);
  });
});

test.each([{ type: 'F32' }, { type: 'Q8_0' }] as const)('positions past a split of 1,024 ($type)', (options) => {
  const spec = tinySpec({ family: 'qwen3', seed: 5, numLayers: 1, ...options });
  const dice = new Dice(6n);
  const tokens = randomTokens(dice, 1100, spec);
  const [defined] = definedLogits(spec, [tokens]);
  const model = openModel(spec, '', 2, 40);
  const pages = shuffled(
    dice,
    Array.from({ length: 40 }, (_, page) => page),
  );
  for (let position = 0; position < tokens.length;) {
    const chunk = tokens.slice(position, position + dice.whole(1, position < 1000 ? 200 : 9));
    const logits = runRound(model, [{ pages, position, tokens: chunk }])[0]!;
    for (const [row, got] of logits.entries()) expect(sameBits(got!, defined![position + row]!)).toBe(true);
    position += chunk.length;
  }
  model.close();
});

function shuffled<T>(dice: Dice, items: readonly T[]): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i -= 1) {
    const j = dice.whole(0, i);
    [out[i], out[j]] = [out[j]!, out[i]!];
  }
  return out;
}
