// gpt-oss (harmony): a reply is messages, each with a header that names its channel and, for a call, whom it goes to.
// `<|channel|>analysis<|message|>...<|end|><|start|>assistant<|channel|>final<|message|>...`; calls go to=functions.NAME.

import type { OutputEvent, TokenEvent } from '@tensorfold/protocol';
import { MarkerScanner, type ScannedItem } from './marker-scanner.ts';
import type { ReplyOptions } from './output-parser.ts';
import { ReplyWriter } from './reply-writer.ts';
import { readArguments } from './tool-calls/json.ts';
import type { OutputParser } from './types.ts';

const markers = ['<|start|>', '<|channel|>', '<|message|>', '<|constrain|>', '<|end|>', '<|call|>', '<|return|>'];
const endings = new Set(['<|end|>', '<|call|>', '<|return|>', '<|start|>']);

export function isHarmony(source: string): boolean {
  return source.includes('<|channel|>analysis<|message|>');
}

type Kind = 'reasoning' | 'content' | 'call';

export class HarmonyParser implements OutputParser {
  readonly #writer: ReplyWriter;
  readonly #scanner: MarkerScanner;
  /** The header so far; null inside a message. */
  #header: string | null = '';
  #kind: Kind = 'content';
  #body = '';
  #numReasoningTokens = 0;
  /** The header of the message being read. */
  #messageHeader = '';
  #hasMarkers = false;

  constructor(tokenId: (text: string) => number | null, options: ReplyOptions) {
    this.#writer = new ReplyWriter(options);
    this.#scanner = new MarkerScanner(markers.map((text) => ({ text, id: tokenId(text) })));
  }

  push(event: TokenEvent): OutputEvent[] {
    if (event.type === 'finish') return this.#finish(event);
    for (const piece of event.pieces) for (const item of this.#scanner.push(piece)) this.#take(item);
    return this.#writer.takeEvents();
  }

  #take(item: ScannedItem): void {
    if (this.#header !== null) this.#takeHeader(item, this.#header);
    else if (item.type === 'marker' && endings.has(item.text)) this.#endMessage(item);
    else if (this.#kind === 'call') this.#body += item.text;
    else if (this.#kind === 'reasoning') this.#writer.reasoning(item.text);
    else this.#writer.content(item.shown);
  }

  #takeHeader(item: ScannedItem, header: string): void {
    if (item.type === 'marker' && item.text === '<|message|>') {
      this.#header = null;
      this.#kind = kindOf(header);
      this.#body = '';
      this.#messageHeader = header;
      if (this.#kind === 'reasoning') this.#writer.startReasoning();
    } else {
      this.#hasMarkers ||= item.type === 'marker';
      this.#header = item.text === '<|start|>' ? '' : header + item.text;
    }
  }

  #endMessage(item: ScannedItem): void {
    if (this.#kind === 'call') this.#endCall();
    if (this.#kind === 'reasoning') {
      this.#numReasoningTokens = item.numTokens;
      this.#writer.endReasoning();
    }
    this.#header = '';
  }

  #endCall(): void {
    const name = recipientOf(this.#messageHeader) ?? '';
    const argumentsText = readArguments(this.#body);
    const source = this.#body;
    this.#writer.block(argumentsText === null ? null : [{ type: 'call', name, argumentsText, source }], source);
  }

  #finish(event: Extract<TokenEvent, { type: 'finish' }>): OutputEvent[] {
    for (const item of this.#scanner.end()) this.#take(item);
    const isReasoning = this.#header === null && this.#kind === 'reasoning';
    const isCut = this.#header === null && this.#kind === 'call' && event.reason === 'length';
    // A reply without any header is plain text.
    if (this.#header !== null && this.#header !== '' && !this.#hasMarkers) this.#writer.content(this.#header);
    if (this.#header === null && this.#kind === 'call') {
      if (isCut) this.#writer.content(this.#body);
      else this.#endCall();
    }
    this.#writer.end(isReasoning);
    const isCalling = this.#writer.numCalls > 0 && !isCut && (event.reason === 'stop' || this.#writer.endsWithCall);
    const { completionTokens } = event.stats;
    const reasoningTokens = isReasoning ? completionTokens : Math.min(this.#numReasoningTokens, completionTokens);
    const reason = isCalling ? 'tool_calls' : event.reason;
    return [...this.#writer.takeEvents(), { type: 'finish', reason, stats: event.stats, reasoningTokens }];
  }
}

function recipientOf(header: string): string | null {
  return /to=functions\.([^\s<]+)/.exec(header)?.[1] ?? null;
}

function kindOf(header: string): Kind {
  if (recipientOf(header) !== null) return 'call';
  return header.includes('<|channel|>analysis') ? 'reasoning' : 'content';
}
