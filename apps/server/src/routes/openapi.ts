// GET /openapi.json: every route and field, from the schemas that check them.

import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '@tensorfold/protocol';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

export function addOpenApi(app: FastifyInstance): void {
  let document: object | undefined;
  app.get('/openapi.json', () => (document ??= openApiDocument(version)));
}
