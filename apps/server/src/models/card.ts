// What a model says of itself on /v1/models.

import { basename } from 'node:path';
import type { Model } from '@tensorfold/protocol';
import type { LoadedModel } from './registry.ts';

/** One entry for the id and one for each alias. */
export function modelEntries(model: LoadedModel): Model[] {
  return [model.id, ...model.aliases].map((id) => modelEntry(model, id));
}

export function modelEntry(model: LoadedModel, id: string): Model {
  return {
    id,
    object: 'model',
    created: model.created,
    owned_by: 'tensorfold',
    max_model_len: model.engine.card.windowTokens,
  };
}

/** `Qwen3-0.6B-Q8_0` of `/models/Qwen3-0.6B-Q8_0.gguf`; the part of a split file is left out. */
export function idOfPath(path: string): string {
  return basename(path)
    .replace(/\.gguf$/i, '')
    .replace(/-\d{5}-of-\d{5}$/, '');
}
