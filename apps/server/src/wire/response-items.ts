// The output items of a response as they are written: one open at a time, each with its events from added to done.

import type {
  ItemStatus,
  OutputEvent,
  OutputTextPart,
  ReasoningTextPart,
  ResponseOutputItem,
  ResponseStreamEvent,
} from '@tensorfold/protocol';
import { createId } from './head.ts';
import type { FinishEvent } from './usage.ts';

/** An event before it has its number. */
export type UnnumberedEvent = ResponseStreamEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'sequence_number'>
    : never
  : never;

interface OpenItem {
  readonly type: ResponseOutputItem['type'];
  readonly id: string;
  /** Of a call. */
  readonly callId: string;
  readonly name: string;
  readonly callIndex: number;
  text: string;
  hasDelta: boolean;
}

export class ItemWriter {
  /** Those that are done. */
  readonly output: ResponseOutputItem[] = [];
  private open: OpenItem | null = null;

  *write(event: Exclude<OutputEvent, FinishEvent>): Generator<UnnumberedEvent> {
    switch (event.type) {
      case 'reasoning-delta':
        if (event.text !== '') yield* this.writeText('reasoning', event.text);
        break;
      case 'content-delta':
        if (event.text !== '') yield* this.writeText('message', event.text);
        break;
      case 'tool-call-start':
        yield* this.begin('function_call', { callId: event.id, name: event.name, callIndex: event.index });
        break;
      case 'tool-call-delta':
        if (event.argumentsText !== '') yield* this.delta(event.argumentsText);
        break;
      case 'tool-call-end':
        yield* this.end('completed');
        break;
      case 'tool-call-abandon':
        yield* this.end('incomplete');
        break;
    }
  }

  /** For who has seen no events: a call that was broken off is not there, and its text goes on the message before it. */
  get finished(): ResponseOutputItem[] {
    const items: ResponseOutputItem[] = [];
    let isBrokenOff = false;
    for (const item of this.output) {
      const last = items.at(-1);
      if (item.type === 'function_call' && item.status !== 'completed') {
        isBrokenOff = true;
        continue;
      }
      if (isBrokenOff && item.type === 'message' && last?.type === 'message') {
        items[items.length - 1] = { ...item, id: last.id, content: [textPart(textOf(last) + textOf(item))] };
      } else items.push(item);
      isBrokenOff = false;
    }
    return items;
  }

  /** Ends the item that is open, if any. A reply without any item has an empty message. */
  *finish(status: 'completed' | 'incomplete'): Generator<UnnumberedEvent> {
    if (this.open === null && this.output.length === 0) yield* this.begin('message');
    yield* this.end(status);
    // The limit fell between two items: the last one is where the reply was cut.
    const last = this.output.at(-1);
    if (status === 'incomplete' && last?.status === 'completed' && last.type === 'message') {
      this.output[this.output.length - 1] = { ...last, status };
    }
  }

  /** Ends the open item where a round failed. */
  *abandon(): Generator<UnnumberedEvent> {
    yield* this.end('incomplete');
  }

  private *writeText(type: 'message' | 'reasoning', text: string): Generator<UnnumberedEvent> {
    if (this.open?.type !== type) yield* this.begin(type);
    yield* this.delta(text);
  }

  private *begin(
    type: OpenItem['type'],
    call: { callId: string; name: string; callIndex: number } = { callId: '', name: '', callIndex: -1 },
  ): Generator<UnnumberedEvent> {
    yield* this.end('completed');
    const prefix = { message: 'msg', reasoning: 'rs', function_call: 'fc' }[type];
    this.open = { type, id: createId(prefix), ...call, text: '', hasDelta: false };
    yield { type: 'response.output_item.added', output_index: this.output.length, item: emptyItem(this.open) };
    if (type !== 'function_call') {
      yield { type: 'response.content_part.added', ...this.partPlace(this.open), part: partOf(this.open) };
    }
  }

  private *delta(text: string): Generator<UnnumberedEvent> {
    const { open } = this;
    if (open === null) return;
    open.text += text;
    open.hasDelta = true;
    if (open.type === 'function_call') {
      yield { type: 'response.function_call_arguments.delta', ...this.itemPlace(open), delta: text };
    } else if (open.type === 'reasoning') {
      yield { type: 'response.reasoning_text.delta', ...this.partPlace(open), delta: text };
    } else {
      yield { type: 'response.output_text.delta', ...this.partPlace(open), delta: text, logprobs: [] };
    }
  }

  private *end(status: 'completed' | 'incomplete'): Generator<UnnumberedEvent> {
    const { open } = this;
    if (open === null) return;
    // Readers wait for a delta before a done.
    if (!open.hasDelta) yield* this.delta('');
    if (open.type === 'function_call') {
      yield { type: 'response.function_call_arguments.done', ...this.itemPlace(open), arguments: open.text };
    } else {
      yield open.type === 'reasoning'
        ? { type: 'response.reasoning_text.done', ...this.partPlace(open), text: open.text }
        : { type: 'response.output_text.done', ...this.partPlace(open), text: open.text, logprobs: [] };
      yield { type: 'response.content_part.done', ...this.partPlace(open), part: partOf(open) };
    }
    const item = itemOf(open, status);
    yield { type: 'response.output_item.done', output_index: this.output.length, item };
    this.output.push(item);
    this.open = null;
  }

  private itemPlace(open: OpenItem) {
    return { item_id: open.id, output_index: this.output.length };
  }

  private partPlace(open: OpenItem) {
    return { ...this.itemPlace(open), content_index: 0 };
  }
}

const textPart = (text: string): OutputTextPart => ({ type: 'output_text', text, annotations: [], logprobs: [] });
const reasoningPart = (text: string): ReasoningTextPart => ({ type: 'reasoning_text', text });
const textOf = (message: { readonly content: readonly OutputTextPart[] }): string =>
  message.content.map((part) => part.text).join('');
const partOf = (open: OpenItem) => (open.type === 'reasoning' ? reasoningPart(open.text) : textPart(open.text));

function emptyItem(open: OpenItem): ResponseOutputItem {
  const item = itemOf(open, 'in_progress');
  return item.type === 'function_call' ? item : { ...item, content: [] };
}

function itemOf(open: OpenItem, status: ItemStatus): ResponseOutputItem {
  const { id, text } = open;
  switch (open.type) {
    case 'message':
      return { id, type: 'message', role: 'assistant', status, content: [textPart(text)] };
    case 'reasoning':
      return { id, type: 'reasoning', status, summary: [], content: [reasoningPart(text)] };
    case 'function_call':
      return { id, type: 'function_call', status, call_id: open.callId, name: open.name, arguments: text };
  }
}
