// GET /metrics: Prometheus text.

import type { FastifyInstance } from 'fastify';
import type { RouteParts } from './parts.ts';

export function addMetrics(app: FastifyInstance, { counters }: RouteParts): void {
  app.get('/metrics', async (_request, reply) => {
    const { body, contentType } = await counters.metrics();
    return reply.type(contentType).send(body);
  });
}
