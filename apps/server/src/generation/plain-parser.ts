// The reply of a raw completion: its text is its content.

import type { OutputEvent, TokenEvent } from '@tensorfold/protocol';
import type { OutputParser } from '@tensorfold/templates';

export function createPlainParser(): OutputParser {
  return {
    push(event: TokenEvent): OutputEvent[] {
      if (event.type === 'finish') {
        return [{ type: 'finish', reason: event.reason, stats: event.stats, reasoningTokens: 0 }];
      }
      const text = event.pieces.map((piece) => piece.text).join('');
      return text === '' ? [] : [{ type: 'content-delta', text }];
    },
  };
}
