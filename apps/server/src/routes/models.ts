// GET /v1/models and GET /v1/models/{id}

import type { FastifyInstance } from 'fastify';
import type { Model, ModelList } from '@tensorfold/protocol';
import { modelEntries, modelEntry } from '../models/card.ts';
import type { RouteParts } from './parts.ts';

export function addModels(app: FastifyInstance, { models }: RouteParts): void {
  app.get('/v1/models', (): ModelList => ({ object: 'list', data: models.all().flatMap(modelEntries) }));

  // A wildcard: ids may hold slashes.
  app.get<{ Params: { '*': string } }>('/v1/models/*', (request): Model => {
    const id = request.params['*'];
    return modelEntry(models.find(id), id);
  });
}
