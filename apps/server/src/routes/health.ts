// GET /health (ready, with counters), /health/live (the process answers), /health/ready (requests are taken).

import type { FastifyInstance } from 'fastify';
import type { RouteParts } from './parts.ts';

export function addHealth(app: FastifyInstance, { counters }: RouteParts): void {
  app.get('/health', (_request, reply) => reply.code(counters.isReady ? 200 : 503).send(counters.health()));
  app.get('/health/live', () => ({ status: 'ok' }));
  app.get('/health/ready', (_request, reply) => {
    const { status } = counters.health();
    return reply.code(counters.isReady ? 200 : 503).send({ status });
  });
}
