// For every call syntax, over generated replies: what a reply says is what was written, however tokens and rounds cut it.

import type { OutputEvent, TokenPiece } from '@tensorfold/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callForms, type CallForm, type ReplyToken } from '../../../tools/scripted-replies/call-forms.ts';
import {
  brokenReplies,
  type Cuts,
  cutRounds,
  cuts,
  cutTokens,
  offeredTools,
  unclosedThoughts,
  wholeReplies,
  isJson,
} from '../../../tools/scripted-replies/replies.ts';
import { loadTemplate } from '../src/chat-template.ts';
import type { ChatTemplate } from '../src/types.ts';
import { fold, readEvents, type ReadOptions } from './support.ts';

function templateOf(form: CallForm, hasTokens: boolean): ChatTemplate {
  const tokenId = (text: string) =>
    hasTokens && form.markers.includes(text) ? 1000 + form.markers.indexOf(text) : null;
  return loadTemplate({ source: form.template, specialTokens: {}, tokenId });
}

const pieceOf = (form: CallForm, { text, isMarker }: ReplyToken): TokenPiece => ({
  id: isMarker ? 1000 + form.markers.indexOf(text) : 1,
  text,
});

/** Tokens as the engine gives them: a token that ends inside a character has no text yet. */
function roundsOf(form: CallForm, tokens: readonly ReplyToken[], cut: Cuts): TokenPiece[][] {
  const pieces = cutTokens(tokens, cut.text).flatMap((token): TokenPiece[] => {
    const piece = pieceOf(form, token);
    return token.isMarker || Buffer.byteLength(token.text) === token.text.length
      ? [piece]
      : [{ id: 1, text: '' }, piece];
  });
  return cutRounds(pieces, cut.rounds);
}

/** The same reply where the vocabulary has no markers: its text, cut anywhere. */
function textRoundsOf(tokens: readonly ReplyToken[], cut: Cuts): TokenPiece[][] {
  const whole = { text: tokens.map(({ text }) => text).join(''), isMarker: false };
  return cutRounds(
    cutTokens([whole], cut.text).map(({ text }) => ({ id: 1, text })),
    cut.rounds,
  );
}

/** Token counts depend on how text is cut into tokens; nothing else does. */
const withoutCounts = (events: readonly OutputEvent[]): unknown[] =>
  events.map((event) => (event.type === 'finish' ? { type: event.type, reason: event.reason } : event));

describe.each(callForms.map((form) => [form.name, form] as const))('%s', (_name, form) => {
  const template = templateOf(form, true);
  const byText = templateOf(form, false);

  test('is found in what the template renders', () => {
    expect(template.supportsTools).toBe(true);
    expect(template.supportsThinking).toBe(true);
  });

  test('a reply says what was written', () => {
    fc.assert(
      fc.property(wholeReplies(form), cuts, (written, cut) => {
        const events = readEvents(template, roundsOf(form, written.tokens, cut), { tools: offeredTools });
        expect(events.filter(({ type }) => type === 'tool-call-abandon')).toEqual([]);
        const reply = fold(events);
        expect(reply).toMatchObject({
          reasoning: written.reasoning,
          content: written.content,
          finish: written.calls.length > 0 ? 'tool_calls' : 'stop',
        });
        expect(reply.calls.map(({ name, arguments: text }) => ({ name, args: JSON.parse(text) as unknown }))).toEqual(
          written.calls,
        );
      }),
      { numRuns: 150 },
    );
  });

  // Harmony has no think block that a call could stand in; without an opener no call is looked for there.
  test.runIf(form.name !== 'harmony' && form.name !== 'llama-json')(
    'a call inside an unclosed think block ends the thought before it',
    () => {
      const isCall = (event: OutputEvent) => event.type.startsWith('tool-call');
      fc.assert(
        fc.property(unclosedThoughts(form), cuts, (written, cut) => {
          const events = readEvents(template, roundsOf(form, written.tokens, cut), { tools: offeredTools });
          const reply = fold(events);
          // No blank of the markup around the block is told, before the calls or after them.
          expect(reply).toMatchObject({ reasoning: written.reasoning, content: written.content, finish: 'tool_calls' });
          expect(reply.calls.map(({ name }) => name)).toEqual(written.calls.map(({ name }) => name));
          const lastThought = events.findLastIndex(({ type }) => type === 'reasoning-delta');
          expect(events.findIndex(isCall)).toBeGreaterThan(lastThought);
        }),
        { numRuns: 150 },
      );
    },
  );

  test('broken or not, any cutting gives the same events', () => {
    const options = fc.record({
      reason: fc.constantFrom('stop' as const, 'length' as const),
      parallelToolCalls: fc.boolean(),
      thinkingStartsOpen: fc.boolean(),
    });
    fc.assert(
      fc.property(brokenReplies(form), cuts, options, (tokens, cut, chosen) => {
        const given: ReadOptions = { tools: offeredTools, ...chosen };
        const pieces = tokens.map((token) => pieceOf(form, token));
        const whole = withoutCounts(readEvents(template, [pieces], given));
        expect(withoutCounts(readEvents(template, roundsOf(form, tokens, cut), given))).toEqual(whole);
        const text = tokens.map((token) => token.text).join('');
        const wholeText = withoutCounts(readEvents(byText, [[{ id: 1, text }]], given));
        expect(withoutCounts(readEvents(byText, textRoundsOf(tokens, cut), given))).toEqual(wholeText);
      }),
      { numRuns: 150 },
    );
  });

  test('broken or not, arguments are JSON when their call ends and never before', () => {
    fc.assert(
      fc.property(brokenReplies(form), (tokens) => {
        const parser = template.createOutputParser({ tools: offeredTools });
        const sent = new Map<number, string>();
        for (const token of cutTokens(tokens, [1])) {
          for (const event of parser.push({ type: 'tokens', pieces: [pieceOf(form, token)] })) {
            if (event.type === 'tool-call-start') sent.set(event.index, '');
            if (event.type === 'tool-call-delta') sent.set(event.index, sent.get(event.index)! + event.argumentsText);
            if (event.type === 'tool-call-abandon') expect(isJson(sent.get(event.index)!)).toBe(false);
            if (event.type === 'tool-call-end') expect(isJson(sent.get(event.index)!)).toBe(true);
            if (event.type === 'tool-call-end' || event.type === 'tool-call-abandon') sent.delete(event.index);
          }
          for (const text of sent.values()) expect(isJson(text)).toBe(false);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('broken or not, a call is told in one run of events', () => {
    fc.assert(
      fc.property(brokenReplies(form), (tokens) => {
        const events = readEvents(template, [tokens.map((token) => pieceOf(form, token))], { tools: offeredTools });
        const types = events.map(({ type }) => type.replace('tool-call-', '')).join(' ');
        const rest = types.replaceAll(/start delta (?:end|abandon)/g, 'call');
        expect(rest).not.toMatch(/start|delta(?<!-delta)|abandon|end/);
      }),
      { numRuns: 150 },
    );
  });

  // Harmony's headers are markup, whatever comes of them.
  test.runIf(form.name !== 'harmony')('no text is lost where nothing in it is a call', () => {
    const { open, close, label } = form.think;
    const isThought = (text: string) =>
      text.includes(open) || text.includes(close) || (label !== '' && text.includes(label));
    fc.assert(
      fc.property(brokenReplies(form), fc.constantFrom('stop' as const, 'length' as const), (tokens, reason) => {
        const text = tokens.map((token) => token.text).join('');
        const reply = fold(
          readEvents(template, [tokens.map((token) => pieceOf(form, token))], { tools: offeredTools, reason }),
        );
        fc.pre(!isThought(text) && reply.calls.length === 0);
        expect(reply.content).toBe(text);
      }),
      { numRuns: 100, maxSkipsPerRun: 1000 },
    );
  });

  test('long arguments take time in proportion', () => {
    const list = Array.from({ length: 5000 }, () => ({ key: 'All work. "q" \n' }));
    const call = { name: 'mixed', args: { list, free: 'All work. "q" \n'.repeat(7000) } };
    const tokens = cutTokens(form.writeCalls([call]), [4]);
    const parser = template.createOutputParser({ tools: offeredTools });
    const startedAt = performance.now();
    for (const token of tokens) parser.push({ type: 'tokens', pieces: [pieceOf(form, token)] });
    // Some 250 ms; a reader that copies what it has with each piece takes ten seconds.
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  test('a long string is told while it is written', () => {
    const body = 'All work and no play. '.repeat(20);
    const tokens = form.writeCalls([{ name: 'write', args: { path: '/a', text: body } }]);
    const parser = template.createOutputParser({ tools: offeredTools });
    let read = 0;
    let told = 0;
    let numPieces = 0;
    let farthest = 0;
    for (const token of cutTokens(tokens, [3])) {
      read += token.text.length;
      for (const event of parser.push({ type: 'tokens', pieces: [pieceOf(form, token)] })) {
        if (event.type !== 'tool-call-delta') continue;
        numPieces += 1;
        told += event.argumentsText.length;
      }
      farthest = Math.max(farthest, read - told);
    }
    expect(numPieces).toBeGreaterThan(body.length / 4);
    // Markup before and around the arguments, and what might be a closing tag.
    expect(farthest).toBeLessThan(160);
  });
});
