// Served id -> model.

import type { EngineLike } from '@tensorfold/engine-native';
import { RequestError, show } from '@tensorfold/protocol';
import type { ChatTemplate } from '@tensorfold/templates';

export interface LoadedModel {
  /** The id that lists and replies show. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly engine: EngineLike;
  readonly template: ChatTemplate;
  /** Seconds since 1970. */
  readonly created: number;
}

export class ModelRegistry {
  private readonly models: readonly LoadedModel[];

  constructor(models: readonly [LoadedModel, ...LoadedModel[]]) {
    this.models = models;
  }

  all(): readonly LoadedModel[] {
    return this.models;
  }

  get default(): LoadedModel {
    return this.models[0] as LoadedModel;
  }

  /** The named model, or the default where none is named. RequestError (404) on a name that is not served. */
  find(name: string | null | undefined): LoadedModel {
    if (name === null || name === undefined || name === '') return this.default;
    const model = this.models.find(({ id, aliases }) => id === name || aliases.includes(name));
    if (model !== undefined) return model;
    const served = this.models.flatMap(({ id, aliases }) => [id, ...aliases]).join(', ');
    throw new RequestError(`model ${show(name)} is not served here; served: ${served}`, {
      status: 404,
      type: 'not_found_error',
      param: 'model',
      code: 'model_not_found',
    });
  }
}
