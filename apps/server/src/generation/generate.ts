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
  for await (const event of model.engine.submit(plan.request, signal)) yield* parser.push(event);
}
