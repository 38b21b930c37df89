// POST /v1/chat/completions

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseChatRequest } from '@tensorfold/protocol';
import { planChat } from '../generation/plan.ts';
import { chatChunks } from '../wire/chat-chunks.ts';
import { chatCompletion } from '../wire/chat-completion.ts';
import { replyHead } from '../wire/head.ts';
import { streamChunks, type RouteParts } from './parts.ts';

export function addChatCompletions(app: FastifyInstance, parts: RouteParts): void {
  app.post('/v1/chat/completions', (request, reply) => answerChat(parts, request, reply));
}

/** Also completions bodies with messages in them come here. */
export async function answerChat(parts: RouteParts, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const body = parseChatRequest(request.body);
  const model = parts.models.find(body.model);
  const plan = planChat(body, model, parts.config);
  const running = parts.replies.run('chat', plan, model, reply);
  const head = replyHead('chatcmpl', model, body);
  if (body.stream !== true) return chatCompletion(running.events, head);
  return streamChunks(parts, request, reply, running, chatChunks(running.events, head));
}
