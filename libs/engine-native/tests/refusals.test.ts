import { afterAll, expect, test } from 'vitest';
import { addon, type RoundRows } from '../src/binding.ts';
import { tinyCheckpoint } from './traffic.ts';

const { spec } = tinyCheckpoint({ family: 'llama', type: 'F32' });
const model = addon().loadModel(spec, { threads: 1, kernel: '', numPages: 4 });
afterAll(() => model.close());

const rows = (more: Partial<Record<keyof RoundRows, unknown>>): RoundRows =>
  ({
    tokens: Int32Array.of(65, 66, 67),
    positions: Int32Array.of(0, 1, 0),
    lanes: Int32Array.of(0, 0, 1),
    pageTables: [Int32Array.of(0), Int32Array.of(1)],
    wanted: Int32Array.of(1, 2),
    ...more,
  }) as RoundRows;

test.each([
  [
    'no rows',
    { tokens: new Int32Array(0), positions: new Int32Array(0), lanes: new Int32Array(0) },
    /at least one row/,
  ],
  ['lists of other lengths', { lanes: Int32Array.of(0) }, /one entry a row/],
  ['lists of another type', { tokens: [65, 66, 67] }, /tokens/],
  ['a token past the vocabulary', { tokens: Int32Array.of(65, 1e6, 67) }, /token 1000000 is not in the vocabulary/],
  ['a negative token', { tokens: Int32Array.of(65, -1, 67) }, /token -1 is not in the vocabulary/],
  ['a lane without pages', { lanes: Int32Array.of(0, 0, 2) }, /names no lane/],
  ['a gap between positions', { positions: Int32Array.of(0, 2, 0) }, /ascend by one/],
  ['a lane in two places', { lanes: Int32Array.of(0, 1, 0), positions: Int32Array.of(0, 0, 1) }, /stand together/],
  ['a position past the pages', { positions: Int32Array.of(63, 64, 0) }, /beyond the lane's pages/],
  ['a page out of range', { pageTables: [Int32Array.of(4), Int32Array.of(1)] }, /page is out of range/],
  ['no page tables', { pageTables: undefined }, /array of Int32Array/],
  ['a page table of another type', { pageTables: [[0], Int32Array.of(1)] }, /pageTables\[0\] must be an Int32Array/],
  ['wanted rows out of order', { wanted: Int32Array.of(2, 1) }, /ascend/],
  ['a wanted row past the round', { wanted: Int32Array.of(3) }, /lie in the round/],
])('a round with %s is refused by name, and the next one runs', (_, more, message) => {
  expect(() => model.forward(rows(more))).toThrow(message);
  model.forward(rows({}));
  expect(model.logits(1)).toHaveLength(spec.vocabSize);
});

test('a closed model refuses every call', () => {
  const closed = addon().loadModel(spec, { threads: 1, kernel: '', numPages: 1 });
  closed.close();
  expect(() => closed.forward(rows({}))).toThrow('closed');
  expect(() => closed.logits(0)).toThrow('closed');
});
