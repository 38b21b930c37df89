// For this room's tests: templates of testdata, and replies fed to a parser and folded as the wire folds them.

import { readFileSync } from 'node:fs';
import type { OutputEvent, TokenPiece } from '@tensorfold/protocol';
import { loadTemplate } from '../src/chat-template.ts';
import type { ChatTemplate, ParserOptions, WireTool } from '../src/types.ts';

const folder = new URL('../testdata/', import.meta.url);

export const testFamilies = ['qwen3', 'qwen3.5', 'glm-5.2', 'gemma4', 'gpt-oss', 'deepseek-v3.1', 'mistral-small-3.2'];

/** A family's template over a vocabulary that has `tokens` as added tokens, ids from 1000 on. */
export function chatTemplateOf(
  family: string,
  tokens: readonly string[] = [],
): { template: ChatTemplate; tokens: readonly string[] } {
  const all = JSON.parse(readFileSync(new URL('special-tokens.json', folder), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const source = readFileSync(new URL(`${family}.jinja`, folder), 'utf8');
  const tokenId = (text: string) => (tokens.includes(text) ? 1000 + tokens.indexOf(text) : null);
  return { template: loadTemplate({ source, specialTokens: all[family] ?? {}, tokenId }), tokens };
}

export function tool(name: string, types: Readonly<Record<string, string>> = {}): WireTool {
  const properties = Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }]));
  return { type: 'function', function: { name, parameters: { type: 'object', properties } } };
}

/** Text as pieces: added tokens by their id, other text one character a token. */
export function piecesOf(text: string, tokens: readonly string[] = []): TokenPiece[] {
  const pieces: TokenPiece[] = [];
  for (let at = 0; at < text.length;) {
    const token = tokens.find((each) => text.startsWith(each, at));
    const part = token ?? String.fromCodePoint(text.codePointAt(at)!);
    pieces.push({ id: token === undefined ? 1 : 1000 + tokens.indexOf(token), text: part });
    at += part.length;
  }
  return pieces;
}

export interface FoldedReply {
  reasoning: string;
  content: string;
  calls: { name: string; arguments: string }[];
  finish: string;
  reasoningTokens: number;
}

/** `batches`: the pieces of each token event. */
export function readReply(
  template: ChatTemplate,
  batches: readonly (readonly TokenPiece[])[],
  options: ReadOptions = {},
): FoldedReply {
  return fold(readEvents(template, batches, options));
}

export type ReadOptions = ParserOptions & { readonly reason?: 'stop' | 'length' };

/** What the parser says, neighbouring deltas of a kind as one. */
export function readEvents(
  template: ChatTemplate,
  batches: readonly (readonly TokenPiece[])[],
  options: ReadOptions = {},
): OutputEvent[] {
  let numIds = 0;
  const parser = template.createOutputParser({ createId: () => `call_${numIds++}`, ...options });
  const events: OutputEvent[] = batches.flatMap((pieces) => parser.push({ type: 'tokens', pieces }));
  const completionTokens = batches.flat().filter(({ id }) => id !== null).length;
  events.push(
    ...parser.push({
      type: 'finish',
      reason: options.reason ?? 'stop',
      stopString: null,
      stats: statsOf(completionTokens),
    }),
  );
  return joined(events);
}

function joined(events: readonly OutputEvent[]): OutputEvent[] {
  const out: OutputEvent[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if (last?.type === 'tool-call-delta' && event.type === 'tool-call-delta' && last.index === event.index)
      out[out.length - 1] = { ...last, argumentsText: last.argumentsText + event.argumentsText };
    else if (
      (last?.type === 'content-delta' && event.type === 'content-delta') ||
      (last?.type === 'reasoning-delta' && event.type === 'reasoning-delta')
    )
      out[out.length - 1] = { ...last, text: last.text + event.text };
    else out.push(event);
  }
  return out;
}

function statsOf(completionTokens: number) {
  return {
    promptTokens: 1,
    cachedTokens: 0,
    completionTokens,
    prefillSeconds: 0,
    decodeSeconds: 0,
    firstTokenSeconds: 0,
    rounds: 1,
    draftedTokens: 0,
    acceptedTokens: 0,
    tokenSha: '',
    logitsHash: null,
  };
}

export function fold(events: readonly OutputEvent[]): FoldedReply {
  const reply: FoldedReply = { reasoning: '', content: '', calls: [], finish: '', reasoningTokens: 0 };
  const calls = new Map<number, FoldedReply['calls'][number]>();
  for (const event of events) {
    if (event.type === 'reasoning-delta') reply.reasoning += event.text;
    else if (event.type === 'content-delta') reply.content += event.text;
    else if (event.type === 'tool-call-start') calls.set(event.index, { name: event.name, arguments: '' });
    else if (event.type === 'tool-call-delta') calls.get(event.index)!.arguments += event.argumentsText;
    else if (event.type === 'tool-call-abandon') calls.delete(event.index);
    else if (event.type === 'finish') {
      reply.finish = event.reason;
      reply.reasoningTokens = event.reasoningTokens;
    }
  }
  reply.calls = [...calls.values()];
  return reply;
}
