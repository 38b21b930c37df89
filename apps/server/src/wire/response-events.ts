// OutputEvents as the typed events of a streamed response, numbered from 0; the last one carries the whole response.

import { RequestError, type ModelResponse, type OutputEvent, type ResponseStreamEvent } from '@tensorfold/protocol';
import { clientLeft } from '../generation/replies.ts';
import type { LoadedModel } from '../models/registry.ts';
import { failedResponse, finishedResponse } from './response-body.ts';
import { ItemWriter, type UnnumberedEvent } from './response-items.ts';
import type { FinishEvent } from './usage.ts';

export interface ResponseHead {
  readonly open: ModelResponse;
  readonly model: LoadedModel;
  readonly signal: AbortSignal;
  /** Called with the finished response before its last event is out, so that it can be read when that arrives. */
  readonly keep: (response: ModelResponse) => void;
  readonly onFailure: (error: unknown) => void;
  /** Repeats `response.in_progress` after this silence before the first token: some clients give up on comments. */
  readonly inProgressMs: number;
}

/** A RequestError before the first token is thrown, with nothing yielded. Any later failure is `response.failed`. */
export async function* responseEvents(
  events: AsyncIterable<OutputEvent>,
  head: ResponseHead,
): AsyncGenerator<ResponseStreamEvent> {
  let number = 0;
  for await (const event of unnumbered(events, head)) {
    yield { ...event, sequence_number: number } as ResponseStreamEvent;
    number += 1;
  }
}

/** The same reply as one body. Failures are thrown. */
export async function wholeResponse(events: AsyncIterable<OutputEvent>, head: ResponseHead): Promise<ModelResponse> {
  const items = new ItemWriter();
  for await (const event of events) {
    if (event.type !== 'finish') {
      for (const written of items.write(event)) void written;
      continue;
    }
    for (const written of items.finish(statusOf(event))) void written;
    const response = finishedResponse(head.open, items.finished, event, head.model);
    head.keep(response);
    return response;
  }
  throw new Error('the reply ended without a finish event');
}

const statusOf = (finish: FinishEvent): 'completed' | 'incomplete' =>
  finish.reason === 'length' ? 'incomplete' : 'completed';

/** A request that cannot run says so well within this. */
const REFUSAL_MS = 500;

async function* unnumbered(events: AsyncIterable<OutputEvent>, head: ResponseHead): AsyncGenerator<UnnumberedEvent> {
  const items = new ItemWriter();
  const iterator = events[Symbol.asyncIterator]();
  const first = iterator.next();
  try {
    await settlesWithin(first, REFUSAL_MS).catch((error: unknown) => {
      if (error instanceof RequestError) throw error;
    });
  } catch (error) {
    await iterator.return?.();
    throw error;
  }
  yield { type: 'response.created', response: head.open };
  yield { type: 'response.in_progress', response: head.open };
  try {
    while (!(await settlesWithin(first, head.inProgressMs))) {
      yield { type: 'response.in_progress', response: head.open };
    }
    for (let next = await first; next.done !== true; next = await iterator.next()) {
      if (next.value.type !== 'finish') {
        yield* items.write(next.value);
        continue;
      }
      yield* items.finish(statusOf(next.value));
      const response = finishedResponse(head.open, items.output, next.value, head.model);
      head.keep(response);
      yield { type: response.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response };
      return;
    }
    throw new Error('the reply ended without a finish event');
  } catch (error) {
    if (clientLeft(head.signal)) throw error;
    head.onFailure(error);
    yield* items.abandon();
    yield { type: 'response.failed', response: failedResponse(head.open, items.output, error) };
  } finally {
    await iterator.return?.();
  }
}

/** Whether it settled in time. Throws what it threw. */
async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
