// OutputEvent -> chat.completion.chunk, one for one, between the role and the usage.

import type { ChatCompletionChunk, ChatDelta, ChatFinishReason, OutputEvent } from '@tensorfold/protocol';
import type { ReplyHead } from './head.ts';
import { statisticsOf, usageOf, type FinishEvent } from './usage.ts';

/**
 * The role comes with the first event, so a request that fails before it has sent nothing. Usage is on the finish
 * chunk, or where the client asked for it in a chunk of its own; never in both, as some clients add them up.
 */
export async function* chatChunks(
  events: AsyncIterable<OutputEvent>,
  head: ReplyHead,
): AsyncGenerator<ChatCompletionChunk> {
  let isFirst = true;
  for await (const event of events) {
    if (isFirst) yield chunk(head, { role: 'assistant', content: '' });
    isFirst = false;
    if (event.type === 'finish') {
      yield* finishChunks(head, event);
      continue;
    }
    const delta = deltaOf(event);
    if (delta !== null) yield chunk(head, delta);
  }
}

function deltaOf(event: Exclude<OutputEvent, FinishEvent>): ChatDelta | null {
  switch (event.type) {
    case 'reasoning-delta':
      return event.text === '' ? null : { reasoning_content: event.text };
    case 'content-delta':
      return event.text === '' ? null : { content: event.text };
    case 'tool-call-start':
      return {
        tool_calls: [
          { index: event.index, id: event.id, type: 'function', function: { name: event.name, arguments: '' } },
        ],
      };
    case 'tool-call-delta':
      if (event.argumentsText === '') return null;
      return { tool_calls: [{ index: event.index, function: { arguments: event.argumentsText } }] };
    case 'tool-call-end':
    case 'tool-call-abandon':
      return null;
  }
}

function* finishChunks(head: ReplyHead, event: FinishEvent): Generator<ChatCompletionChunk> {
  const totals = { usage: usageOf(event), tensorfold: statisticsOf(event.stats, head.model.engine.card) };
  if (!head.includeUsage) {
    yield { ...chunk(head, {}, event.reason), ...totals };
    return;
  }
  yield chunk(head, {}, event.reason);
  yield { ...chunk(head, {}), choices: [], ...totals };
}

function chunk(head: ReplyHead, delta: ChatDelta, finish: ChatFinishReason | null = null): ChatCompletionChunk {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model.id,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(head.includeUsage ? { usage: null } : {}),
  };
}
