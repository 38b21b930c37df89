// Calls whose name and arguments stand between tags, each value as bare text (Qwen XML, GLM, MiniMax). The offered schema says
// what the text becomes: a string is told as it comes, other types when their value is whole.

import type { CallEvent, CallReader, OfferedTools, ParameterTypes } from './syntax.ts';
import { escapedJson, isAlwaysText, typedJson } from './typed-value.ts';

export interface TaggedForm {
  /** '' where the name stands first in the block, up to the first key or the block's end. */
  readonly nameStart: string;
  readonly nameEnd: string;
  readonly keyStart: string;
  readonly keyEnd: string;
  /** Between a key and its value, after blanks; '' none. */
  readonly valueStart: string;
  readonly valueEnd: string;
  /** '' where the block's end is the call's. */
  readonly callEnd: string;
  /** The block ends with the call: `callEnd` elsewhere is the value's own text. */
  readonly isLast: boolean;
  /** A newline after a value's start and before its end belongs to the markup. */
  readonly hasNewlines: boolean;
}

type Phase = 'name' | 'member' | 'key' | 'value-start' | 'value' | 'ended';

export class TaggedCalls implements CallReader {
  state: CallReader['state'] = 'open';
  readonly #form: TaggedForm;
  readonly #tools: OfferedTools;
  #phase: Phase = 'name';
  /** What is not read yet: the start of a tag, or of what might be one. */
  #rest = '';
  #at = 0;
  #numCalls = 0;
  #types: ParameterTypes | undefined;
  #numMembers = 0;
  #key = '';
  /** The value so far, where its type is to be read. */
  #value = '';
  #isValueStart = false;
  #events: CallEvent[] = [];

  constructor(form: TaggedForm, tools: OfferedTools) {
    this.#form = form;
    this.#tools = tools;
  }

  get isInsideText(): boolean {
    return this.#phase === 'value' && !this.#rest.includes(this.#form.valueEnd);
  }

  push(text: string): CallEvent[] {
    this.#rest += text;
    while (this.state === 'open' && this.#step());
    return this.#takeEvents();
  }

  close(isCut: boolean): CallEvent[] {
    const { callEnd, isLast } = this.#form;
    // Without a tag of its own a call ends with its block, and one that the limit cut may have wanted more.
    if (callEnd === '') this.#closeUntagged(isCut);
    else if (isLast && this.#phase === 'value') this.#closeValue();
    if (isLast && this.#phase === 'ended') this.#endCall();
    if (this.#phase !== 'name' || this.#rest.trim() !== '') this.state = 'broken';
    return this.#takeEvents();
  }

  #takeEvents(): CallEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Reads one part; false where more text is needed. */
  #step(): boolean {
    switch (this.#phase) {
      case 'name':
        return this.#form.nameStart === '' ? this.#readBareName() : this.#readName();
      case 'member':
        return this.#readMemberOrEnd();
      case 'key':
        return this.#readKey();
      case 'value-start':
        return this.#readValueStart();
      case 'value':
        return this.#readValue();
      case 'ended':
        return this.#readEnded();
    }
  }

  #readName(): boolean {
    const { nameStart, nameEnd } = this.#form;
    const found = this.#expectTag(nameStart);
    if (found !== true) {
      if (found === null && this.#numCalls > 0) this.state = 'over';
      else if (found === null) this.state = 'broken';
      return false;
    }
    const inside = this.#rest.trimStart().slice(nameStart.length);
    const name = this.#upTo(inside, nameEnd);
    if (name === null) return false;
    this.#take(this.#rest.length - inside.length + name.length + nameEnd.length);
    return this.#startCall(name.trim());
  }

  #readBareName(): boolean {
    const { keyStart } = this.#form;
    const end = this.#rest.indexOf('<');
    const name = (end < 0 ? this.#rest : this.#rest.slice(0, end)).trim();
    if (!/^[^\s<>{}"]*$/.test(name) || (end >= 0 && name === '')) return this.#break();
    if (end < 0) return false;
    if (!startsAlike(this.#rest.slice(end), keyStart)) return this.#break();
    if (!this.#rest.startsWith(keyStart, end)) return false;
    this.#take(end);
    return this.#startCall(name);
  }

  #readMemberOrEnd(): boolean {
    const { keyStart, callEnd } = this.#form;
    if (this.#expectTag(keyStart) === true) {
      this.#takeTag(keyStart);
      this.#phase = 'key';
      return true;
    }
    if (callEnd !== '' && this.#expectTag(callEnd) === true) {
      this.#takeTag(callEnd);
      this.#phase = 'ended';
      return true;
    }
    const mayFollow = this.#expectTag(keyStart) !== null || (callEnd !== '' && this.#expectTag(callEnd) !== null);
    return mayFollow ? false : this.#break();
  }

  #readKey(): boolean {
    const { keyEnd, valueStart } = this.#form;
    const key = this.#upTo(this.#rest, keyEnd);
    if (key === null) return false;
    this.#take(key.length + keyEnd.length);
    this.#key = key.trim();
    this.#phase = valueStart === '' ? 'value' : 'value-start';
    if (this.#phase === 'value') this.#startValue();
    return true;
  }

  #readValueStart(): boolean {
    const { valueStart } = this.#form;
    const found = this.#expectTag(valueStart);
    if (found === null) return this.#break();
    if (found === false) return false;
    this.#takeTag(valueStart);
    this.#phase = 'value';
    this.#startValue();
    return true;
  }

  #readValue(): boolean {
    const { valueEnd, hasNewlines } = this.#form;
    if (this.#isValueStart && this.#rest !== '') {
      this.#isValueStart = false;
      if (hasNewlines && this.#rest.startsWith('\n')) this.#take(1);
    }
    const end = this.#rest.indexOf(valueEnd);
    if (end < 0) {
      this.#tellValue(this.#rest.length - this.#heldLength());
      return false;
    }
    const newline = hasNewlines && end > 0 && this.#rest[end - 1] === '\n' ? 1 : 0;
    this.#tellValue(end - newline);
    const ends = this.#endsValue(this.#rest.slice(newline + valueEnd.length));
    if (ends === null) return false;
    if (ends) this.#endValue(newline);
    else this.#tellValue(newline + valueEnd.length);
    return true;
  }

  /** Whether a value's end tag is followed by more markup; null where that is not known yet. Else the tag is text. */
  #endsValue(after: string): boolean | null {
    const { keyStart, callEnd, isLast } = this.#form;
    const next = after.trimStart();
    if (next.startsWith(keyStart)) return true;
    if (callEnd !== '' && next.startsWith(callEnd)) {
      if (!isLast) return true;
      return next.slice(callEnd.length).trim() === '' ? null : false;
    }
    return startsAlike(next, keyStart) || (callEnd !== '' && startsAlike(next, callEnd)) ? null : false;
  }

  /** The tail that may be the start of a value's end. */
  #heldLength(): number {
    const { valueEnd, hasNewlines } = this.#form;
    const text = this.#rest;
    let held = 0;
    for (let length = Math.min(text.length, valueEnd.length - 1); length > 0 && held === 0; length -= 1) {
      if (valueEnd.startsWith(text.slice(-length))) held = length;
    }
    return hasNewlines && text[text.length - held - 1] === '\n' ? held + 1 : held;
  }

  #startCall(name: string): boolean {
    this.#types = this.#tools.get(name);
    this.#numMembers = 0;
    this.#phase = 'member';
    this.#events.push({ type: 'name', name, at: this.#at });
    return true;
  }

  #startValue(): void {
    this.#isValueStart = true;
    this.#value = '';
    const quote = isAlwaysText(this.#types?.get(this.#key)) ? '"' : '';
    this.#tell(`${this.#numMembers === 0 ? '{' : ','}${JSON.stringify(this.#key)}:${quote}`);
    this.#numMembers += 1;
  }

  #tellValue(length: number): void {
    const text = this.#rest.slice(0, length);
    this.#take(length);
    if (isAlwaysText(this.#types?.get(this.#key))) this.#tell(escapedJson(text));
    else this.#value += text;
  }

  #endValue(newline: number): void {
    const type = this.#types?.get(this.#key);
    this.#tell(isAlwaysText(type) ? '"' : typedJson(this.#value, type));
    this.#take(newline + this.#form.valueEnd.length);
    this.#phase = 'member';
  }

  #readEnded(): boolean {
    if (!this.#form.isLast) {
      this.#endCall();
      return true;
    }
    return this.#rest.trim() === '' ? false : this.#break();
  }

  /** The block ends after what may be the last value's end and the call's. */
  #closeValue(): void {
    const { valueEnd, callEnd } = this.#form;
    const newline = this.#rest.startsWith('\n') ? 1 : 0;
    const after = this.#rest.slice(newline + valueEnd.length).trimStart();
    if (!this.#rest.startsWith(valueEnd, newline) || !after.startsWith(callEnd)) return;
    this.#endValue(newline);
    this.#takeTag(callEnd);
    this.#phase = 'ended';
  }

  #closeUntagged(isCut: boolean): void {
    const { valueEnd } = this.#form;
    if (isCut) return;
    if (this.#phase === 'name' && /^[^\s<>{}"]+$/.test(this.#rest.trim())) {
      const name = this.#rest.trim();
      this.#take(this.#rest.length);
      this.#startCall(name);
    }
    if (this.#phase === 'value' && this.#rest.startsWith(valueEnd)) this.#endValue(0);
    if (this.#phase === 'member' && this.#rest.trim() === '') this.#endCall();
  }

  #endCall(): void {
    this.#tell(this.#numMembers === 0 ? '{}' : '}');
    this.#events.push({ type: 'end', at: this.#at });
    this.#numCalls += 1;
    this.#phase = 'name';
  }

  /** true: the tag is there, after blanks; false: it may still come; null: something else is there. */
  #expectTag(tag: string): boolean | null {
    const text = this.#rest.trimStart();
    if (text.startsWith(tag)) return true;
    return startsAlike(text, tag) ? false : null;
  }

  #takeTag(tag: string): void {
    this.#take(this.#rest.length - this.#rest.trimStart().length + tag.length);
  }

  /** The text before `end`, on one line; null where it is not there yet, or cannot be. */
  #upTo(text: string, end: string): string | null {
    const at = text.indexOf(end);
    const inside = at < 0 ? text : text.slice(0, at);
    if (inside.includes('\n') || (at >= 0 && inside.trim() === '')) this.#break();
    return at < 0 || this.state === 'broken' ? null : inside;
  }

  #take(length: number): void {
    this.#rest = this.#rest.slice(length);
    this.#at += length;
  }

  #tell(text: string): void {
    if (text !== '') this.#events.push({ type: 'arguments', text, at: this.#at });
  }

  #break(): false {
    this.state = 'broken';
    return false;
  }
}

/** One of them begins with the other. */
function startsAlike(text: string, tag: string): boolean {
  return tag.startsWith(text.slice(0, tag.length));
}
