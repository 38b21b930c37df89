// Syntaxes whose block holds several calls between markers of their own, each with JSON arguments: DeepSeek and Kimi K2.

import { JsonArguments } from './json-arguments.ts';
import type { CallEvent, CallReader, CallSyntax } from './syntax.ts';

export const deepseek: CallSyntax = section({
  name: 'deepseek',
  opener: '<｜tool▁calls▁begin｜>',
  closer: '<｜tool▁calls▁end｜>',
  callStart: '<｜tool▁call▁begin｜>',
  separator: '<｜tool▁sep｜>',
  callEnd: '<｜tool▁call▁end｜>',
  // V3.1 writes NAME and bare JSON; V3 and R1 the kind of tool, NAME and JSON in a code fence.
  readName(head, text) {
    const start = text.trimStart();
    if (start === '') return null;
    if (start.startsWith('{')) return { name: head.trim(), length: text.length - start.length };
    const fenced = /^([^\n]+)\n```(?:json)?\n/.exec(text);
    return fenced === null ? null : { name: fenced[1]!.trim(), length: fenced[0].length };
  },
  nameAtEnd: (head) => head.trim(),
});

export const kimi: CallSyntax = section({
  name: 'kimi',
  opener: '<|tool_calls_section_begin|>',
  closer: '<|tool_calls_section_end|>',
  callStart: '<|tool_call_begin|>',
  separator: '<|tool_call_argument_begin|>',
  callEnd: '<|tool_call_end|>',
  readName: (head) => ({ name: nameOfId(head), length: 0 }),
  nameAtEnd: nameOfId,
});

/** The id carries the name: functions.NAME:0. */
function nameOfId(id: string): string {
  return id
    .trim()
    .replace(/^functions\./, '')
    .replace(/:\d+$/, '');
}

interface SectionForm {
  readonly name: string;
  readonly opener: string;
  readonly closer: string;
  readonly callStart: string;
  /** Between the head and the arguments. */
  readonly separator: string;
  readonly callEnd: string;
  /** The name, and how much of the text after the separator comes before the arguments; null where more must come. */
  readName(head: string, text: string): { readonly name: string; readonly length: number } | null;
  /** The name of a call without arguments. */
  nameAtEnd(head: string): string;
}

function section(form: SectionForm): CallSyntax {
  const { name, opener, closer, callStart, separator, callEnd } = form;
  return {
    name,
    opener,
    closer,
    inner: [callStart, separator, callEnd],
    bare: false,
    createReader: () => new SectionCalls(form),
  };
}

class SectionCalls implements CallReader {
  readonly state = 'open';
  readonly #form: SectionForm;
  #phase: 'between' | 'head' | 'name' | 'arguments' | 'after' | 'failed' = 'between';
  #text = '';
  #head = '';
  #arguments = new JsonArguments();
  /** Text stands where only markers should. */
  #hasOther = false;
  #at = 0;
  #events: CallEvent[] = [];

  constructor(form: SectionForm) {
    this.#form = form;
  }

  /** The markers are tokens, which a string of an argument does not hold. */
  get isInsideText(): boolean {
    return false;
  }

  push(text: string, isMarker: boolean): CallEvent[] {
    if (isMarker && text === this.#form.callStart) this.#startCall(text);
    else if (isMarker && text === this.#form.callEnd) this.#endCall(text);
    else if (isMarker && text === this.#form.separator && this.#phase === 'head') this.#endHead(text);
    else this.#takeText(text);
    return this.#takeEvents();
  }

  close(): CallEvent[] {
    const isBetween = this.#phase === 'between' || this.#phase === 'after';
    if (!isBetween || this.#hasOther) this.#events.push({ type: 'failed', at: this.#at });
    return this.#takeEvents();
  }

  #takeEvents(): CallEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #startCall(marker: string): void {
    const isBetween = this.#phase === 'between' || this.#phase === 'after';
    if (!isBetween || this.#hasOther) this.#events.push({ type: 'failed', at: this.#at });
    this.#hasOther = false;
    this.#at += marker.length;
    this.#phase = 'head';
    this.#text = '';
    this.#arguments = new JsonArguments();
  }

  #endHead(marker: string): void {
    this.#at += marker.length;
    this.#head = this.#text;
    this.#text = '';
    this.#phase = 'name';
    this.#takeText('');
  }

  #endCall(marker: string): void {
    if (this.#phase === 'name') this.#tellName(this.#text.trim() === '' ? this.#form.nameAtEnd(this.#head) : '');
    if (this.#phase === 'arguments') this.#closeArguments();
    this.#at += marker.length;
    const isWhole = this.#phase === 'after' && !this.#hasOther;
    if (this.#phase !== 'between') this.#events.push({ type: isWhole ? 'skip' : 'failed', at: this.#at });
    this.#phase = 'between';
    this.#hasOther = false;
  }

  #takeText(text: string): void {
    if (this.#phase === 'arguments') return this.#takeArguments(text);
    this.#at += text.length;
    if (this.#phase === 'between' || this.#phase === 'after') this.#hasOther ||= /[^\s`]/.test(text);
    if (this.#phase === 'head' || this.#phase === 'name') this.#text += text;
    if (this.#phase !== 'name') return;
    const found = this.#form.readName(this.#head, this.#text);
    if (found === null) return;
    const rest = this.#text.slice(found.length);
    this.#at -= rest.length;
    this.#tellName(found.name);
    if (rest !== '') this.#takeText(rest);
  }

  #tellName(name: string): void {
    this.#phase = name === '' ? 'failed' : 'arguments';
    if (name !== '') this.#events.push({ type: 'name', name, at: this.#at });
  }

  #takeArguments(text: string): void {
    const { taken, piece } = this.#arguments.push(text);
    this.#at += taken;
    if (piece !== '') this.#events.push({ type: 'arguments', text: piece, at: this.#at });
    if (this.#arguments.state === 'broken') this.#phase = 'failed';
    if (this.#arguments.state === 'done') {
      this.#events.push({ type: 'end', at: this.#at });
      this.#phase = 'after';
    }
    if (taken < text.length) this.#takeText(text.slice(taken));
  }

  #closeArguments(): void {
    const piece = this.#arguments.close();
    this.#phase = piece === null ? 'failed' : 'after';
    if (piece === null) return;
    this.#events.push({ type: 'arguments', text: piece, at: this.#at }, { type: 'end', at: this.#at });
  }
}
