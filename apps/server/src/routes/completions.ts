// POST /v1/completions: raw text or token ids, without a chat template. With messages in the body it is a chat request.

import type { FastifyInstance } from 'fastify';
import { hasMessages, parseCompletionRequest } from '@tensorfold/protocol';
import { planCompletion } from '../generation/plan.ts';
import { completion, completionChunks } from '../wire/completion-chunks.ts';
import { replyHead } from '../wire/head.ts';
import { answerChat } from './chat-completions.ts';
import { streamChunks, type RouteParts } from './parts.ts';

export function addCompletions(app: FastifyInstance, parts: RouteParts): void {
  app.post('/v1/completions', async (request, reply) => {
    if (hasMessages(request.body)) return answerChat(parts, request, reply);
    const body = parseCompletionRequest(request.body);
    const model = parts.models.find(body.model);
    const plan = planCompletion(body, model, parts.config);
    const running = parts.replies.run('completions', plan, model, reply);
    const head = replyHead('cmpl', model, body);
    if (body.stream !== true) return completion(running.events, head);
    return streamChunks(parts, request, reply, running, completionChunks(running.events, head));
  });
}
