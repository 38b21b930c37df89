// The same events a stream sends, folded into one reply.

import type { OutputEvent, ToolCall } from '@tensorfold/protocol';
import type { FinishEvent } from './usage.ts';

export interface FoldedReply {
  readonly reasoning: string;
  readonly content: string;
  /** Calls the model finished; one that was broken off is left out, its text is content. */
  readonly calls: readonly ToolCall[];
  readonly finish: FinishEvent;
}

export async function fold(events: AsyncIterable<OutputEvent>): Promise<FoldedReply> {
  let reasoning = '';
  let content = '';
  let finish: FinishEvent | null = null;
  const calls = new Map<number, { id: string; name: string; argumentsText: string }>();
  for await (const event of events) {
    switch (event.type) {
      case 'reasoning-delta':
        reasoning += event.text;
        break;
      case 'content-delta':
        content += event.text;
        break;
      case 'tool-call-start':
        calls.set(event.index, { id: event.id, name: event.name, argumentsText: '' });
        break;
      case 'tool-call-delta': {
        const call = calls.get(event.index);
        if (call !== undefined) call.argumentsText += event.argumentsText;
        break;
      }
      case 'tool-call-end':
        break;
      case 'tool-call-abandon':
        calls.delete(event.index);
        break;
      case 'finish':
        finish = event;
        break;
    }
  }
  if (finish === null) throw new Error('the reply ended without a finish event');
  return { reasoning, content, calls: [...calls.values()].map(toolCall), finish };
}

function toolCall(call: { id: string; name: string; argumentsText: string }): ToolCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.argumentsText } };
}
