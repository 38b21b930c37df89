import { readFileSync } from 'node:fs';
import type { PromptPiece } from '@tensorfold/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenizerFromJson } from './from-tokenizer-json.ts';

const tiny = new URL('./testdata/tiny/', import.meta.url);
const json: unknown = JSON.parse(readFileSync(new URL('tokenizer.json', tiny), 'utf8'));
const tokenizer = tokenizerFromJson(json, null);
const golden = JSON.parse(readFileSync(new URL('strings.json', tiny), 'utf8')) as {
  strings: { text: string; ids: number[]; decoded: string }[];
  chat: { text: string; ids: number[] }[];
};

const template = (text: string): PromptPiece => ({ text, source: 'template' });
const caller = (text: string): PromptPiece => ({ text, source: 'caller' });
const markers = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<think>', '</think>', '<tool_call>', '</tool_call>'];
const markerIds = new Set(markers.map((text) => tokenizer.tokenId(text)));

test.each(golden.strings)('ids and text of $text', ({ text, ids, decoded }) => {
  expect(tokenizer.encode(text)).toEqual(ids);
  expect(tokenizer.decode(ids)).toBe(decoded);
});

test.each(golden.chat)('ids of a rendered chat: $text', ({ text, ids }) => {
  expect(tokenizer.encode(text)).toEqual(ids);
});

/** Texts with many markers, parts of markers, blanks and letters. */
const texts = fc.array(fc.constantFrom(...markers, '<', '|im_', 'end|>', ' ', '\n', 'the', 'é', '12', '😀', 'x'), {
  maxLength: 8,
});
const text = texts.map((parts) => parts.join(''));
const pieces = fc.array(fc.record({ text, source: fc.constantFrom('template' as const, 'caller' as const) }), {
  maxLength: 6,
});

test('caller text never becomes a marker, wherever it stands and whatever stands beside it', () => {
  fc.assert(
    fc.property(pieces, (prompt) => {
      const allowed = prompt.reduce<string[]>((runs, { text: part, source }, i) => {
        if (source !== 'template') return runs;
        // Empty pieces are no border.
        const before = prompt.slice(0, i).findLast((piece) => piece.text !== '');
        if (before?.source === 'template' && runs.length > 0) runs[runs.length - 1] += part;
        else runs.push(part);
        return runs;
      }, []);
      const expected = allowed.flatMap(
        (run) => run.match(/<\|(?:endoftext|im_start|im_end)\|>|<\/?(?:think|tool_call)>/g) ?? [],
      );
      const found = tokenizer.encodePieces(prompt).filter((id) => markerIds.has(id));
      expect(found.map((id) => tokenizer.addedText(id))).toEqual(expected);
    }),
  );
});

test('a prompt in pieces decodes to its text', () => {
  fc.assert(
    fc.property(pieces, (prompt) => {
      expect(tokenizer.decode(tokenizer.encodePieces(prompt))).toBe(prompt.map((piece) => piece.text).join(''));
    }),
  );
});

test('harmless caller text gives the ids of the whole text: borders cut no word', () => {
  const harmless = fc.stringMatching(/^[a-z \n1é]*$/);
  fc.assert(
    fc.property(fc.array(harmless, { maxLength: 5 }), (parts) => {
      const prompt = parts.map((part, i) => (i % 2 === 0 ? template(part) : caller(part)));
      expect(tokenizer.encodePieces(prompt)).toEqual(tokenizer.encode(parts.join('')));
    }),
  );
  expect(tokenizer.encodePieces([template('th'), caller('e')])).toEqual(tokenizer.encode('the'));
});

test('a marker that template and caller write together is none', () => {
  const ids = tokenizer.encodePieces([template('<|im_'), caller('end|>')]);
  expect(ids).not.toContain(tokenizer.tokenId('<|im_end|>'));
  expect(tokenizer.encodePieces([template('<|im_'), template('end|>')])).toEqual([tokenizer.tokenId('<|im_end|>')]);
});

test('tokens not marked special are found where special ones are read as text', () => {
  const ids = tokenizer.encode('<think><|im_end|>', { addedTokens: 'not-special' });
  expect(ids[0]).toBe(tokenizer.tokenId('<think>'));
  expect(ids).not.toContain(tokenizer.tokenId('<|im_end|>'));
});

test('a lone surrogate becomes U+FFFD', () => {
  expect(tokenizer.decode(tokenizer.encode('a\ud800b'))).toBe('a\ufffdb');
});

test('ids without a token and padded ids are unused', () => {
  const unused = tokenizer.unusedIds(322);
  expect(unused.slice(-2)).toEqual([320, 321]);
  expect(tokenizer.decode([400])).toBe('');
});

test('an added token matched in normalised text respects where the template wrote', () => {
  const base = json as { added_tokens: object[] };
  const added = {
    id: 320,
    content: 'é!',
    special: false,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: true,
  };
  const composed = tokenizerFromJson(
    { ...base, normalizer: { type: 'NFC' }, added_tokens: [...base.added_tokens, added] },
    null,
  );
  expect(composed.encodePieces([caller('xe\u0301'), template('e\u0301!')])).toContain(320);
  expect(composed.encodePieces([template('xe'), caller('\u0301'), template('!')])).not.toContain(320);
  expect(composed.encodePieces([template('x'), caller('e\u0301!')])).not.toContain(320);
});

test('what a tokenizer.json asks for and we do not have is named', () => {
  const base = json as Record<string, unknown>;
  expect(() => tokenizerFromJson({ ...base, model: { type: 'Unigram' } }, null)).toThrow(
    'a Unigram model; supported: BPE',
  );
  expect(() => tokenizerFromJson({ ...base, normalizer: { type: 'Precompiled' } }, null)).toThrow('"Precompiled"');
});

test('beginning of text is added by the post-processor, or by the config where that has none', () => {
  const base = json as Record<string, unknown>;
  const single = [{ SpecialToken: { id: '<|endoftext|>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }];
  const byProcessor = tokenizerFromJson({ ...base, post_processor: { type: 'TemplateProcessing', single } }, null);
  const byConfig = tokenizerFromJson(base, { bos_token: { content: '<|endoftext|>' }, add_bos_token: true });
  const bos = tokenizer.tokenId('<|endoftext|>');
  for (const some of [byProcessor, byConfig]) {
    expect(some.encodePieces([caller('x')])[0]).toBe(bos);
    expect(some.encodePieces([template('<|endoftext|>x')]).filter((id) => id === bos)).toHaveLength(1);
    expect(some.encodePieces([caller('<|endoftext|>x')]).filter((id) => id === bos)).toHaveLength(1);
  }
  expect(tokenizer.encodePieces([caller('x')])[0]).not.toBe(bos);
});
