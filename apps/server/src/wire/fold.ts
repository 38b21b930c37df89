// The same events a stream sends, folded into one reply.

import type { OutputEvent, ToolCall } from '@tensorfold/protocol';
import type { FinishEvent } from './usage.ts';

export interface FoldedReply {
  readonly reasoning: string;
  readonly content: string;
  /** Calls the model finished; one cut by the limit is left out. */
  readonly calls: readonly ToolCall[];
  readonly finish: FinishEvent;
}

export async function fold(events: AsyncIterable<OutputEvent>): Promise<FoldedReply> {
  let reasoning = '';
  let content = '';
  let finish: FinishEvent | null = null;
  const calls = new Map<number, { id: string; name: string; argumentsText: string; isComplete: boolean }>();
  for await (const event of events) {
    switch (event.type) {
      case 'reasoning-delta':
        reasoning += event.text;
        break;
      case 'content-delta':
        content += event.text;
        break;
      case 'tool-call-start':
        calls.set(event.index, { id: event.id, name: event.name, argumentsText: '', isComplete: false });
        break;
      case 'tool-call-delta': {
        const call = calls.get(event.index);
        if (call !== undefined) call.argumentsText += event.argumentsText;
        break;
      }
      case 'tool-call-end': {
        const call = calls.get(event.index);
        if (call !== undefined) call.isComplete = true;
        break;
      }
      case 'finish':
        finish = event;
        break;
    }
  }
  if (finish === null) throw new Error('the reply ended without a finish event');
  return { reasoning, content, calls: [...calls.values()].filter((call) => call.isComplete).map(toolCall), finish };
}

function toolCall(call: { id: string; name: string; argumentsText: string }): ToolCall {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.argumentsText } };
}
