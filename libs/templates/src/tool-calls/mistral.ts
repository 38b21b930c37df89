// Mistral: `[TOOL_CALLS]NAME[ARGS]{...}`, `[TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{...}`, or `[TOOL_CALLS][{...}, ...]`.

import { JsonArguments } from './json-arguments.ts';
import { ObjectCalls } from './json.ts';
import type { CallEvent, CallReader, CallSyntax } from './syntax.ts';

export const mistralJson: CallSyntax = {
  name: 'mistral-json',
  opener: '[TOOL_CALLS]',
  closer: null,
  inner: ['[ARGS]', '[CALL_ID]'],
  bare: false,
  createReader: () => new MistralCall(),
};

class MistralCall implements CallReader {
  #state: CallReader['state'] = 'open';
  #phase: 'name' | 'id' | 'arguments' | 'after' = 'name';
  #name = '';
  #at = 0;
  #arguments = new JsonArguments();
  /** The form without names before the objects. */
  #objects: ObjectCalls | null = null;

  get state(): CallReader['state'] {
    return this.#objects?.state ?? this.#state;
  }

  get isInsideText(): boolean {
    return this.#objects?.isInsideText ?? (this.#phase === 'arguments' && this.#arguments.isInsideText);
  }

  push(text: string, isMarker: boolean): CallEvent[] {
    if (this.#objects !== null) return this.#objects.push(text);
    const events: CallEvent[] = [];
    if (isMarker && !this.isInsideText) this.#takeMarker(text, events);
    else this.#takeText(text, events);
    return this.#objects === null ? events : (this.#objects as ObjectCalls).push(this.#name);
  }

  close(): CallEvent[] {
    if (this.#objects !== null) return this.#objects.close();
    if (this.#phase !== 'after') this.#state = 'broken';
    return [];
  }

  #takeMarker(marker: string, events: CallEvent[]): void {
    this.#at += marker.length;
    if (this.#phase === 'name') this.#endName(events);
    else if (this.#phase !== 'id') this.#state = 'broken';
    this.#phase = marker === '[ARGS]' ? 'arguments' : 'id';
  }

  #takeText(text: string, events: CallEvent[]): void {
    let rest = text;
    if (this.#phase === 'name') {
      const end = rest.search(/[[{]/);
      const isObjects = end >= 0 && (this.#name + rest.slice(0, end)).trim() === '';
      this.#name += end < 0 || isObjects ? rest : rest.slice(0, end);
      if (isObjects) this.#objects = new ObjectCalls();
      if (end < 0 || isObjects) {
        this.#at += rest.length;
        // No name has a blank in it: this is prose.
        if (!isObjects && /\S\s+\S/.test(this.#name)) this.#state = 'broken';
        return;
      }
      this.#at += end;
      rest = rest.slice(end);
      this.#endName(events);
      this.#phase = 'arguments';
    }
    if (this.#phase === 'id') {
      const end = rest.indexOf('{');
      this.#at += end < 0 ? rest.length : end;
      if (end < 0) return;
      rest = rest.slice(end);
      this.#phase = 'arguments';
    }
    if (this.#state === 'open' && this.#phase === 'arguments') rest = this.#takeArguments(rest, events);
    if (this.#phase === 'after' && rest.trim() !== '') this.#state = 'over';
  }

  #takeArguments(text: string, events: CallEvent[]): string {
    const { taken, piece } = this.#arguments.push(text);
    this.#at += taken;
    if (piece !== '') events.push({ type: 'arguments', text: piece, at: this.#at });
    if (this.#arguments.state === 'broken') this.#state = 'broken';
    if (this.#arguments.state === 'done') {
      events.push({ type: 'end', at: this.#at });
      this.#phase = 'after';
    }
    return text.slice(taken);
  }

  #endName(events: CallEvent[]): void {
    const name = this.#name.trim();
    if (/^[^[\]{}\s]+$/.test(name)) events.push({ type: 'name', name, at: this.#at });
    else this.#state = 'broken';
  }
}
