// A draft model's ids must mean what the checked model's mean.

import { EngineError } from '@tensorfold/protocol';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';

/** Throws an EngineError that names the first token that differs. Vocabularies may be padded to different sizes. */
export function checkSameTokens(model: Checkpoint, drafter: Checkpoint): void {
  const [ours, theirs] = [model.tokenizer, drafter.tokenizer];
  if (ours === null || theirs === null) {
    if (ours === theirs && model.spec.vocabSize === drafter.spec.vocabSize) return;
    throw new EngineError(
      `the draft model must have the model's vocabulary of ${model.spec.vocabSize} tokens, got ${drafter.spec.vocabSize}`,
    );
  }
  const numTokens = Math.min(ours.numTokens, theirs.numTokens, model.spec.vocabSize, drafter.spec.vocabSize);
  for (let id = 0; id < numTokens; id += 1) {
    if (Buffer.compare(ours.tokenBytes(id), theirs.tokenBytes(id)) === 0) continue;
    const [mine, other] = [ours, theirs].map((tokenizer) => JSON.stringify(tokenizer.decode([id])));
    throw new EngineError(
      `the draft model has another tokenizer: token ${id} is ${other} there and ${mine} in the model; give a draft ` +
        'model of the same family',
    );
  }
}
