// The HTTP application from its parts. Tests inject into it; `main.ts` listens.

import { randomBytes } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { defaultConfig, type ServerConfig } from './config.ts';
import { Replies } from './generation/replies.ts';
import { RequestError } from '@tensorfold/protocol';
import { Counters, type Route } from './health/counters.ts';
import { ModelRegistry, type LoadedModel } from './models/registry.ts';
import { addChatCompletions } from './routes/chat-completions.ts';
import { addCompletions } from './routes/completions.ts';
import { addHealth } from './routes/health.ts';
import { addMetrics } from './routes/metrics.ts';
import { addModels } from './routes/models.ts';
import { addOpenApi } from './routes/openapi.ts';
import { addResponses } from './routes/responses.ts';
import { addTokens } from './routes/tokens.ts';
import type { RouteParts } from './routes/parts.ts';
import { requireApiKeys } from './wire/api-keys.ts';
import { malformedRequestBody, sendError, sendErrorsInShape, type RouteEntry } from './wire/http-errors.ts';
import { readJsonBodies } from './wire/json-body.ts';

export interface AppParts {
  readonly model: LoadedModel;
  readonly config?: Partial<ServerConfig>;
}

export interface App {
  readonly http: FastifyInstance;
  readonly config: ServerConfig;
  readonly routes: readonly RouteEntry[];
  /** Says not ready at once, lets running replies end, then stops listening. The engine is the caller's to close. */
  drain(): Promise<void>;
}

export function buildApp({ model, config: given = {} }: AppParts): App {
  const config: ServerConfig = { ...defaultConfig, ...given };
  const http = createHttp(config);
  const counters = new Counters(model, config);
  const replies = new Replies(counters);
  const parts: RouteParts = { config, models: new ModelRegistry([model]), counters, replies };

  const routes = sendErrorsInShape(http);
  http.addHook('onError', (request, _reply, error, done) => {
    const route = countedRoutes[request.routeOptions.url ?? ''];
    if (route !== undefined && (error as unknown) instanceof RequestError) counters.countFailure(route, error);
    done();
  });
  readJsonBodies(http);
  requireApiKeys(http, config.apiKeys);
  addChatCompletions(http, parts);
  addCompletions(http, parts);
  addResponses(http, parts);
  addModels(http, parts);
  addTokens(http, parts);
  addHealth(http, parts);
  addMetrics(http, parts);
  addOpenApi(http);

  return {
    http,
    config,
    routes,
    async drain() {
      counters.isDraining = true;
      if (config.drainGraceMs > 0) await new Promise((resolve) => setTimeout(resolve, config.drainGraceMs));
      await replies.close(config.drainTimeoutMs);
      await http.close();
    },
  };
}

const countedRoutes: Readonly<Record<string, Route>> = {
  '/v1/chat/completions': 'chat',
  '/v1/completions': 'completions',
  '/v1/responses': 'responses',
};

function createHttp(config: ServerConfig): FastifyInstance {
  const http = fastify({
    logger: config.log === 'silent' ? false : { level: config.log, stream: process.stderr },
    bodyLimit: config.bodyLimitBytes,
    // Streams that a drain gave up on must not keep the process.
    forceCloseConnections: true,
    requestIdHeader: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply);
    },
    clientErrorHandler: (_error, socket) => {
      if (!socket.writable) return;
      const head = 'HTTP/1.1 400 Bad Request\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close';
      socket.end(
        `${head}\r\ncontent-length: ${Buffer.byteLength(malformedRequestBody)}\r\n\r\n${malformedRequestBody}`,
      );
    },
  });
  http.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  return http as unknown as FastifyInstance;
}

/** The client's own, where it can stand in a header and a log line. */
function requestId(sent: string | string[] | undefined): string {
  if (typeof sent === 'string' && /^[\x21-\x7e]{1,128}$/.test(sent)) return sent;
  return `req_${randomBytes(12).toString('hex')}`;
}
