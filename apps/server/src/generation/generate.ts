// The spine: a plan becomes what the reply says. Every endpoint reads this.

import type { OutputEvent } from '@tensorfold/protocol';
import type { LoadedModel } from '../models/registry.ts';
import type { GenerationPlan } from './plan.ts';

/**
 * Runs a plan and yields what the reply says, in order, ending with one `finish`. Ends by EngineError if a round fails
 * (what was yielded stands) and by the signal's reason when the client left.
 */
export async function* generate(
  plan: GenerationPlan,
  model: LoadedModel,
  signal: AbortSignal,
): AsyncGenerator<OutputEvent> {
  const parser = plan.createParser();
  for await (const event of model.engine.submit(plan.request, signal)) yield* joinDeltas(parser.push(event));
}

/** A round's neighbouring deltas of one kind as one: a frame a round, not a frame a token. */
export function joinDeltas(events: readonly OutputEvent[]): OutputEvent[] {
  const joined: OutputEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last?.type === 'content-delta' && event.type === 'content-delta') {
      joined[joined.length - 1] = { type: 'content-delta', text: last.text + event.text };
    } else if (last?.type === 'reasoning-delta' && event.type === 'reasoning-delta') {
      joined[joined.length - 1] = { type: 'reasoning-delta', text: last.text + event.text };
    } else if (last?.type === 'tool-call-delta' && event.type === 'tool-call-delta' && last.index === event.index) {
      joined[joined.length - 1] = { ...event, argumentsText: last.argumentsText + event.argumentsText };
    } else {
      joined.push(event);
    }
  }
  return joined;
}
