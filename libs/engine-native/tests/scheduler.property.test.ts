import { describe, expect, test, vi } from 'vitest';
import { conversations, Dice, runTraffic, tinyCheckpoint } from './traffic.ts';

// A guard against hanging, not a measure: a busy machine must not fail this.
vi.setConfig({ testTimeout: 1_200_000 });

const models = [
  { family: 'llama', type: 'F32' },
  { family: 'qwen3', type: 'Q8_0' },
  { family: 'gemma3', type: 'Q4_0', window: 24 },
  { family: 'llama', type: 'Q4_K' },
  { family: 'qwen3', type: 'Q4_1', kvDtype: 'q8' },
] as const;

describe.each(models)('random traffic on $family $type $kvDtype', (options) => {
  test('every reply equals its solo serial run, bit for bit', () => {
    const checkpoint = tinyCheckpoint(options);
    const kvDtype = 'kvDtype' in options ? options.kvDtype : undefined;
    const dice = new Dice(11n);
    // Its own copy guesses nearly all, another model hardly anything.
    const drafters = [undefined, tinyCheckpoint({ family: 'qwen3', type: 'Q8_0' }), checkpoint, undefined];
    const { requests, solo } = conversations(checkpoint, 65, dice, kvDtype);
    for (const [index, lanes] of [1, 3, 8, 16].entries()) {
      const result = runTraffic(checkpoint, requests, solo, {
        lanes,
        chunkTokens: dice.pick([1, 7, 64, 128]),
        decodeShare: dice.pick([0, 0.25, 1]),
        numPages: 12 + lanes * 3,
        threads: dice.pick([1, 1, 2, 3]),
        ...(kvDtype === undefined ? {} : { kvDtype }),
        ...(drafters[index] === undefined ? {} : { drafter: drafters[index] }),
        disturb: 0.1,
        seed: BigInt(index),
      });
      expect(result.differing).toEqual([]);
      expect(result.replayMismatches).toBe(0);
      expect(result.compared).toBeGreaterThan(90);
      // The traffic did what it is for.
      expect(result.preemptions).toBeGreaterThan(0);
      expect(result.cachedTokens).toBeGreaterThan(0);
      expect(result.accepted).toBeGreaterThan(0);
    }
  });
});

describe('a broken contract is caught', () => {
  test.each(['reorder-sum', 'wrong-page', 'kept-draft'] as const)('%s', (fault) => {
    const checkpoint = tinyCheckpoint({ family: 'llama', type: 'Q8_0' });
    const { requests, solo } = conversations(checkpoint, 65, new Dice(5n));
    const settings = { lanes: 8, chunkTokens: 16, decodeShare: 1, numPages: 80, threads: 2, disturb: 0.1, seed: 3n };
    expect(runTraffic(checkpoint, requests, solo, settings).differing).toEqual([]);
    expect(runTraffic(checkpoint, requests, solo, { ...settings, fault }).differing.length).toBeGreaterThan(0);
  });
});
