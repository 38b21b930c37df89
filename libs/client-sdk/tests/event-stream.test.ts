import { expect, test } from 'vitest';
import { readEvents } from '../src/index.ts';
import { bodyOf } from './fake-server.ts';

async function dataOf(chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  const data: string[] = [];
  for await (const event of readEvents(bodyOf(chunks))) data.push(event.data);
  return data;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const byteByByte = (text: string) => Array.from(bytes(text), (byte) => new Uint8Array([byte]));

const mixed = 'data: 1\r\n\ndata: 2\r\rdata: 3\n\r\n';

test.each([
  ['in one chunk', [mixed]],
  ['byte by byte', byteByByte(mixed)],
  ['between every CR and LF', mixed.split(/(?<=\r)(?=\n)/)],
])('mixed line endings %s (G27)', async (_name, chunks) => {
  expect(await dataOf(chunks)).toEqual(['1', '2', '3']);
});

test('every cut in two gives the same events', async () => {
  const text = '\uFEFF: comment\r\ndata:4\r\n\r\nevent: x\nid: 7\nretry: 10\ndata: a\ndata: b\n\ndata: \u{1F638}!\r\r';
  const whole = await dataOf([text]);
  expect(whole).toEqual(['4', 'a\nb', '\u{1F638}!']);
  const all = bytes(text);
  for (let cut = 1; cut < all.length; cut += 1) {
    expect(await dataOf([all.slice(0, cut), all.slice(cut)])).toEqual(whole);
  }
});

test('one long event in 20,000 chunks takes time in proportion to its bytes', async () => {
  const read = async (length: number) => {
    const startedAt = performance.now();
    const data = await dataOf(['data: ', ...Array.from({ length }, () => 'x'), '\n\n']);
    expect(data[0]?.length).toBe(length);
    return performance.now() - startedAt;
  };
  await read(2000);
  const short = await read(5000);
  // Four times the bytes; time in their square would be sixteen times as much.
  expect(await read(20_000)).toBeLessThan(12 * short + 200);
});
