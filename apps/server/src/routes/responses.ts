// POST /v1/responses, run as the equivalent chat completion; GET and DELETE /v1/responses/{id}.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  checkToolChoice,
  parseResponseRequest,
  RequestError,
  show,
  toErrorBody,
  type ChatRequest,
  type DeletedResponse,
  type ModelResponse,
  type ResponseInputItem,
  type ResponseRequest,
  type ResponseStreamEvent,
} from '@tensorfold/protocol';
import { planChat, type GenerationPlan } from '../generation/plan.ts';
import type { LoadedModel } from '../models/registry.ts';
import { withoutAgentExtras } from '../responses/agents.ts';
import { ResponseStore, type StoredResponse } from '../responses/store.ts';
import { inputItems, inResponseNames, toChatRequest } from '../responses/to-chat.ts';
import { openResponse } from '../wire/response-body.ts';
import { responseEvents, wholeResponse, type ResponseHead } from '../wire/response-events.ts';
import { eventFrame, writeEventStream } from '../wire/sse.ts';
import type { RouteParts } from './parts.ts';

interface WithId {
  Params: { id: string };
}

export function addResponses(app: FastifyInstance, parts: RouteParts): void {
  const store = new ResponseStore();
  app.post('/v1/responses', (request, reply) => answer(parts, store, request, reply));
  app.get<WithId>('/v1/responses/:id', (request): ModelResponse => find(store, request.params.id).response);
  app.delete<WithId>('/v1/responses/:id', (request): DeletedResponse => {
    const { id } = find(store, request.params.id).response;
    store.delete(id);
    return { id, object: 'response', deleted: true };
  });
}

function find(store: ResponseStore, id: string): StoredResponse {
  const stored = store.get(id);
  if (stored !== null) return stored;
  throw new RequestError(`response ${show(id)} is not stored here`, {
    status: 404,
    type: 'not_found_error',
    code: 'response_not_found',
  });
}

async function answer(
  parts: RouteParts,
  store: ResponseStore,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const body = parseResponseRequest(parts.config.compatAgents ? lenientBody(store, request, reply) : request.body);
  const history = historyOf(body, store);
  const model = parts.models.find(body.model);
  const plan = planAsChat(toChatRequest(body, history), model, parts);
  const running = parts.replies.run('responses', plan, model, reply);
  const head: ResponseHead = {
    open: openResponse(body, plan, model),
    model,
    signal: running.signal,
    keep: (response) => {
      if (!response.store) return;
      store.add({ response, conversation: [...history, ...inputItems(body.input), ...response.output] });
    },
    onFailure: (error) => request.log.error({ err: error }, 'a reply failed'),
    inProgressMs: parts.config.keepAliveMs,
  };
  if (body.stream !== true) return wholeResponse(running.events, head);
  await writeEventStream(reply, {
    frames: eventFrames(responseEvents(running.events, head)),
    // The events tell of failures themselves; what is left is a fault in writing them.
    failureFrames: (error) => eventFrame({ ...toErrorBody(error), type: 'error' }),
    signal: running.signal,
    keepAliveMs: parts.config.keepAliveMs,
  });
  return reply;
}

async function* eventFrames(events: AsyncIterable<ResponseStreamEvent>): AsyncGenerator<string> {
  for await (const event of events) yield eventFrame(event);
}

function lenientBody(store: ResponseStore, request: FastifyRequest, reply: FastifyReply): unknown {
  const { body, skipped } = withoutAgentExtras(request.body, store);
  if (skipped.length > 0) {
    reply.header(
      'x-tensorfold-skipped',
      skipped
        .join(', ')
        .replace(/[^\x20-\x7e]/g, '?')
        .slice(0, 1000),
    );
    request.log.warn({ skipped }, 'left out of a Responses request (--compat agents)');
  }
  return body;
}

/** Input and output of the responses that this one continues. */
function historyOf(body: ResponseRequest, store: ResponseStore): readonly ResponseInputItem[] {
  const id = body.previous_response_id;
  if (id === null || id === undefined) return [];
  const stored = store.get(id);
  if (stored !== null) return stored.conversation;
  throw new RequestError(`previous_response_id ${show(id)} is not stored here; send the whole conversation as input`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  });
}

function planAsChat(chat: ChatRequest, model: LoadedModel, parts: RouteParts): GenerationPlan {
  try {
    checkToolChoice(chat);
    return planChat(chat, model, parts.config);
  } catch (error) {
    throw inResponseNames(error);
  }
}
