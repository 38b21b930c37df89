// OutputEvents of a raw completion as text_completion chunks, or as one body.

import type { Completion, CompletionChunk, OutputEvent } from '@tensorfold/protocol';
import { fold } from './fold.ts';
import type { ReplyHead } from './head.ts';
import { statisticsOf, usageOf, type FinishEvent } from './usage.ts';

export async function* completionChunks(
  events: AsyncIterable<OutputEvent>,
  head: ReplyHead,
): AsyncGenerator<CompletionChunk> {
  for await (const event of events) {
    if (event.type === 'content-delta' && event.text !== '') yield chunk(head, event.text);
    if (event.type !== 'finish') continue;
    const totals = { usage: usageOf(event), tensorfold: statisticsOf(event.stats, head.model.engine.card) };
    if (!head.includeUsage) {
      yield { ...chunk(head, '', reasonOf(event)), ...totals };
      continue;
    }
    yield chunk(head, '', reasonOf(event));
    yield { ...chunk(head, ''), choices: [], ...totals };
  }
}

export async function completion(events: AsyncIterable<OutputEvent>, head: ReplyHead): Promise<Completion> {
  const { content, finish } = await fold(events);
  return {
    ...base(head),
    choices: [{ index: 0, text: content, logprobs: null, finish_reason: reasonOf(finish) }],
    usage: usageOf(finish),
    tensorfold: statisticsOf(finish.stats, head.model.engine.card),
  };
}

/** A raw completion has no calls. */
const reasonOf = (finish: FinishEvent): 'stop' | 'length' => (finish.reason === 'length' ? 'length' : 'stop');

const base = (head: ReplyHead) =>
  ({ id: head.id, object: 'text_completion', created: head.created, model: head.model.id }) as const;

function chunk(head: ReplyHead, text: string, finish: 'stop' | 'length' | null = null): CompletionChunk {
  return {
    ...base(head),
    choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
    ...(head.includeUsage ? { usage: null } : {}),
  };
}
