// Every failure before the first byte in the API's shape: {"error": {message, type, param, code}} with its status.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EngineError, RequestError, toErrorBody } from '@tensorfold/protocol';
import { ClientLeft } from '../generation/replies.ts';

export interface RouteEntry {
  readonly url: string;
  readonly methods: readonly string[];
}

/** Gives the routes, noted as they are added from here on. */
export function sendErrorsInShape(app: FastifyInstance): readonly RouteEntry[] {
  const routes: RouteEntry[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ url, methods: [method].flat() });
  });
  app.setErrorHandler((error, request, reply) => {
    sendError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? request.url;
    const allowed = methodsOf(routes, path);
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    sendError(allowed.length > 0 ? wrongMethod(request, path, allowed) : unknownPath(request, path), request, reply);
  });
  return routes;
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof ClientLeft) {
    // To nobody, but the exchange must end.
    void reply.code(499).send({ error: toErrorBody(new RequestError(error.message)) });
    return;
  }
  // Fastify closes the connection on any fault in a body. One that was read to its end leaves the connection whole.
  if (error instanceof RequestError) reply.removeHeader('connection');
  const known = asRequestError(error, request);
  if (known !== null) {
    if (known.status === 401) reply.header('www-authenticate', 'Bearer');
    if (known.status === 429 || known.status === 503) reply.header('retry-after', '1');
    void reply.code(known.status).send({ error: toErrorBody(known) });
    return;
  }
  if (!(error instanceof EngineError)) request.log.error({ err: error }, 'a request failed by a fault of ours');
  // The same request would fail the same way: SDKs that retry a 500 need not.
  void reply
    .code(500)
    .header('x-should-retry', 'false')
    .send({ error: toErrorBody(error) });
}

/** What Node says to bytes that are no HTTP request. */
export const malformedRequestBody = JSON.stringify({
  error: toErrorBody(new RequestError('the request is not valid HTTP')),
});

/** The framework's own refusals, in our words; null for what is not the client's mistake. */
function asRequestError(error: unknown, request: FastifyRequest): RequestError | null {
  if (error instanceof RequestError) return error;
  if (!(error instanceof Error)) return null;
  const { statusCode: status, code, message } = error as FastifyError;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new RequestError(`the request body is larger than ${request.server.initialConfig.bodyLimit} bytes`, {
        status: 413,
        code: 'request_too_large',
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const type = request.headers['content-type'];
      return new RequestError(
        `the request body must have content-type application/json, got ${type === undefined ? 'none' : JSON.stringify(type)}`,
        { status: 415, code: 'unsupported_media_type' },
      );
    }
  }
  if (status !== undefined && status >= 400 && status < 500) return new RequestError(message, { status });
  return null;
}

const unknownPath = (request: FastifyRequest, path: string): RequestError =>
  new RequestError(`there is no ${request.method} ${path} here; see GET /openapi.json for what there is`, {
    status: 404,
    code: 'unknown_url',
  });

const wrongMethod = (request: FastifyRequest, path: string, allowed: readonly string[]): RequestError =>
  new RequestError(`${path} takes ${allowed.join(', ')}, not ${request.method}`, {
    status: 405,
    code: 'method_not_allowed',
  });

/** The methods that a path does take. */
function methodsOf(routes: readonly RouteEntry[], path: string): string[] {
  const fits = ({ url }: RouteEntry): boolean => {
    const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+').replace(/\*/g, '.+')}$`).test(path);
  };
  return [...new Set(routes.filter(fits).flatMap(({ methods }) => methods))];
}
