// The OpenAPI 3.1 document, made from the schemas that requests are checked with and replies are held to.

import { z } from 'zod';
import { chatChunkSchema } from './chat/chunk.ts';
import { chatCompletionSchema } from './chat/completion.ts';
import { chatRequestSchema } from './chat/request.ts';
import { completionChunkSchema, completionSchema } from './completions/completion.ts';
import { completionRequestSchema } from './completions/request.ts';
import {
  deletedResponseSchema,
  detokenizeResponseSchema,
  errorSchema,
  healthSchema,
  modelListSchema,
  modelSchema,
  statusSchema,
  tokenizeResponseSchema,
} from './models.ts';
import { responseRequestSchema } from './responses/request.ts';
import { responseEventSchema, responseSchema } from './responses/response.ts';
import { detokenizeRequestSchema, tokenizeRequestSchema } from './tokens.ts';

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly summary: string;
  readonly request?: z.ZodType;
  readonly reply: z.ZodType | 'text';
  /** What one event of a streamed reply holds. */
  readonly event?: z.ZodType;
  /** Statuses beside 200 that the route gives of its own. */
  readonly errors: readonly number[];
}

/** Every route of the server; a test holds the two lists against each other. */
export const operations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/chat/completions',
    summary: 'A chat reply; with `stream`, as server-sent events that end with [DONE].',
    request: chatRequestSchema,
    reply: chatCompletionSchema,
    event: chatChunkSchema,
    errors: [400, 401, 404, 413, 415, 429, 500, 503],
  },
  {
    method: 'post',
    path: '/v1/completions',
    summary: 'Raw text, without a chat template. A body with messages is a chat request.',
    request: completionRequestSchema,
    reply: completionSchema,
    event: completionChunkSchema,
    errors: [400, 401, 404, 413, 415, 429, 500, 503],
  },
  {
    method: 'post',
    path: '/v1/responses',
    summary: "OpenAI's Responses API, run as the equivalent chat completion.",
    request: responseRequestSchema,
    reply: responseSchema,
    event: responseEventSchema,
    errors: [400, 401, 404, 413, 415, 429, 500, 503],
  },
  {
    method: 'get',
    path: '/v1/responses/{id}',
    summary: 'A stored response.',
    reply: responseSchema,
    errors: [401, 404],
  },
  {
    method: 'delete',
    path: '/v1/responses/{id}',
    summary: 'Removes a stored response.',
    reply: deletedResponseSchema,
    errors: [401, 404],
  },
  { method: 'get', path: '/v1/models', summary: 'What is served.', reply: modelListSchema, errors: [401] },
  { method: 'get', path: '/v1/models/{id}', summary: 'One of them.', reply: modelSchema, errors: [401, 404] },
  {
    method: 'post',
    path: '/tokenize',
    summary: 'Token ids of a prompt or of messages.',
    request: tokenizeRequestSchema,
    reply: tokenizeResponseSchema,
    errors: [400, 401, 404, 413, 415],
  },
  {
    method: 'post',
    path: '/detokenize',
    summary: 'Text of token ids.',
    request: detokenizeRequestSchema,
    reply: detokenizeResponseSchema,
    errors: [400, 401, 404, 413, 415],
  },
  { method: 'get', path: '/health', summary: 'Counters; 503 when not ready.', reply: healthSchema, errors: [503] },
  { method: 'get', path: '/health/live', summary: 'The process answers.', reply: statusSchema, errors: [] },
  {
    method: 'get',
    path: '/health/ready',
    summary: 'Requests are taken; else 503.',
    reply: statusSchema,
    errors: [503],
  },
  { method: 'get', path: '/metrics', summary: 'Prometheus text.', reply: 'text', errors: [] },
  { method: 'get', path: '/openapi.json', summary: 'This document.', reply: z.looseObject({}), errors: [] },
];

export function openApiDocument(version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'TensorFold', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: 'http://127.0.0.1:8080' }],
    security: [{}, { key: [] }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: jsonSchema(errorSchema, 'output') },
    },
  };
}

function describe(operation: Operation): object {
  const { path, summary, request, reply, event, errors } = operation;
  const json = (schema: object) => ({ 'application/json': { schema } });
  const content =
    reply === 'text' ? { 'text/plain': { schema: { type: 'string' } } } : json(jsonSchema(reply, 'output'));
  const stream = event === undefined ? {} : { 'text/event-stream': { schema: jsonSchema(event, 'output') } };
  const failure = { description: 'error', content: json({ $ref: '#/components/schemas/Error' }) };
  // Not ready is told with the same body as ready.
  const other = path.startsWith('/health') ? { description: 'not ready', content } : failure;
  return {
    summary,
    ...(path.includes('{id}')
      ? { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] }
      : {}),
    ...(request === undefined ? {} : { requestBody: { required: true, content: json(jsonSchema(request, 'input')) } }),
    responses: {
      200: { description: 'ok', content: { ...content, ...stream } },
      ...Object.fromEntries(errors.map((status) => [status, other])),
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
