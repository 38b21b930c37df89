// Where a prompt's text was written by the template. Only there may added tokens be recognised.

import type { PromptPiece } from '@tensorfold/protocol';
import type { Normalizer } from './normalizers.ts';

/** Maximal runs of template text, as UTF-16 offsets, ascending. */
export class TemplateRanges {
  static readonly none = new TemplateRanges([], []);
  private readonly starts: readonly number[];
  private readonly ends: readonly number[];

  private constructor(starts: readonly number[], ends: readonly number[]) {
    this.starts = starts;
    this.ends = ends;
  }

  static all(text: string): TemplateRanges {
    return new TemplateRanges([0], [text.length]);
  }

  static of(pieces: readonly PromptPiece[]): TemplateRanges {
    const starts: number[] = [];
    const ends: number[] = [];
    let at = 0;
    for (const { text, source } of pieces) {
      const end = at + text.length;
      if (source === 'template' && text !== '') {
        if (ends.at(-1) === at) ends[ends.length - 1] = end;
        else {
          starts.push(at);
          ends.push(end);
        }
      }
      at = end;
    }
    return new TemplateRanges(starts, ends);
  }

  /** Does [start, end) lie in one run? */
  contain(start: number, end: number): boolean {
    let low = 0;
    let high = this.starts.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle]! > start) high = middle - 1;
      else if (this.ends[middle]! <= start) low = middle + 1;
      else return end <= this.ends[middle]!;
    }
    return false;
  }

  /**
   * The runs of `raw`, which stands at `offset`, in its normalised form. A character composed across a border counts as
   * the caller's.
   */
  within(offset: number, raw: string, normalized: string, normalizer: Normalizer | null): TemplateRanges {
    const starts: number[] = [];
    const ends: number[] = [];
    for (let i = 0; i < this.starts.length; i += 1) {
      const start = Math.max(this.starts[i]! - offset, 0);
      const end = Math.min(this.ends[i]! - offset, raw.length);
      if (start >= end) continue;
      if (normalizer === null || normalized === raw) {
        starts.push(start);
        ends.push(end);
        continue;
      }
      starts.push(start === 0 ? 0 : normalized.length - commonEnd(normalized, normalizer(raw.slice(start))));
      ends.push(end === raw.length ? normalized.length : commonBeginning(normalized, normalizer(raw.slice(0, end))));
    }
    return new TemplateRanges(starts, ends);
  }
}

function commonBeginning(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

function commonEnd(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length += 1;
  return length;
}
