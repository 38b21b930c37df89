import { expect, test } from 'vitest';
import { openModel, runRound, tinySpec } from './rounds.ts';

test('a checkpoint of more layers than a round can hand out work for is refused', () => {
  const tiny = { family: 'gemma3', hiddenSize: 32, ffnSize: 32, numHeads: 2, numKvHeads: 1, headDim: 16 } as const;
  const model = openModel(tinySpec({ ...tiny, numLayers: 341 }), '', 2, 2);
  runRound(model, [{ pages: [0], position: 0, tokens: Array.from({ length: 20 }, () => 3) }]);
  model.close();
  expect(() => openModel(tinySpec({ ...tiny, numLayers: 342 }))).toThrow('342 layers, more than 341');
});
