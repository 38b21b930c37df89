// gpt-oss (harmony): a reply is messages, each with a header that names its channel and, for a call, whom it goes to.
// `<|channel|>analysis<|message|>...<|end|><|start|>assistant<|channel|>final<|message|>...`; calls go to=functions.NAME.

import type { OutputEvent, TokenEvent } from '@tensorfold/protocol';
import { CallBlock } from './call-block.ts';
import { MarkerScanner, type ScannedItem } from './marker-scanner.ts';
import type { ReplyOptions } from './output-parser.ts';
import { ReplyWriter } from './reply-writer.ts';
import { NamedCall } from './tool-calls/json-arguments.ts';
import type { OutputParser } from './types.ts';

const markers = ['<|start|>', '<|channel|>', '<|message|>', '<|constrain|>', '<|end|>', '<|call|>', '<|return|>'];
const endings = new Set(['<|end|>', '<|call|>', '<|return|>', '<|start|>']);

export function isHarmony(source: string): boolean {
  return source.includes('<|channel|>analysis<|message|>');
}

type Kind = 'reasoning' | 'content' | 'call';

export class HarmonyParser implements OutputParser {
  readonly #options: ReplyOptions;
  readonly #writer: ReplyWriter;
  readonly #scanner: MarkerScanner;
  /** The header so far; null inside a message. */
  #header: string | null = '';
  #kind: Kind = 'content';
  /** The arguments of the call being read. */
  #call: CallBlock | null = null;
  #numReasoningTokens = 0;
  #hasMarkers = false;

  constructor(tokenId: (text: string) => number | null, options: ReplyOptions) {
    this.#options = options;
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
    else if (this.#call !== null) this.#takeArguments(item, this.#call);
    else if (this.#kind === 'reasoning') this.#writer.reasoning(item.text);
    else this.#writer.text(item.shown);
  }

  #takeHeader(item: ScannedItem, header: string): void {
    if (item.type !== 'marker' || item.text !== '<|message|>') {
      this.#hasMarkers ||= item.type === 'marker';
      this.#header = item.type === 'marker' && item.text === '<|start|>' ? '' : header + item.text;
      return;
    }
    this.#header = null;
    this.#kind = kindOf(header);
    if (this.#kind === 'reasoning') this.#writer.startReasoning();
    if (this.#kind === 'call') {
      const { tools } = this.#options;
      this.#call = new CallBlock('', new NamedCall(recipientOf(header) ?? ''), tools, this.#writer);
    }
  }

  #takeArguments(item: ScannedItem, call: CallBlock): void {
    call.push(item.text, item.type === 'marker');
    if (call.state === 'open') return;
    call.release();
    this.#call = null;
  }

  #endMessage(item: ScannedItem): void {
    this.#endCall(false);
    if (this.#kind === 'reasoning') {
      this.#numReasoningTokens = item.numTokens;
      this.#writer.endReasoning();
    }
    this.#header = '';
  }

  /** True where the call was left unfinished. */
  #endCall(isCut: boolean): boolean {
    const call = this.#call;
    this.#call = null;
    if (call === null || call.finish(isCut)) return false;
    call.release();
    return true;
  }

  #finish(event: Extract<TokenEvent, { type: 'finish' }>): OutputEvent[] {
    for (const item of this.#scanner.end()) this.#take(item);
    const isReasoning = this.#header === null && this.#kind === 'reasoning';
    const isLimited = event.reason === 'length';
    // The calls after the one that is returned are left out, whole or not.
    if (this.#writer.isSatisfied) this.#call = null;
    const isCut = this.#endCall(isLimited) && isLimited;
    // A reply without any header is plain text.
    if (this.#header !== null && this.#header !== '' && !this.#hasMarkers) this.#writer.text(this.#header);
    this.#writer.end(isReasoning);
    const { completionTokens } = event.stats;
    const reasoningTokens = isReasoning ? completionTokens : Math.min(this.#numReasoningTokens, completionTokens);
    const reason = this.#writer.numCalls > 0 && !isCut ? 'tool_calls' : event.reason;
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
