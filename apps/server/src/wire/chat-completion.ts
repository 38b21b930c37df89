// OutputEvents folded into one chat.completion body.

import type { ChatCompletion, OutputEvent } from '@tensorfold/protocol';
import { fold } from './fold.ts';
import type { ReplyHead } from './head.ts';
import { statisticsOf, usageOf } from './usage.ts';

export async function chatCompletion(events: AsyncIterable<OutputEvent>, head: ReplyHead): Promise<ChatCompletion> {
  const { reasoning, content, calls, finish } = await fold(events);
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model.id,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && calls.length > 0 ? null : content,
          refusal: null,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finish.reason,
      },
    ],
    usage: usageOf(finish),
    tensorfold: statisticsOf(finish.stats, head.model.engine.card),
  };
}
