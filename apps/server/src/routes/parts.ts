// What routes are given.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerConfig } from '../config.ts';
import type { Replies, RunningReply } from '../generation/replies.ts';
import type { Counters } from '../health/counters.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { dataFailure, dataFrames, writeEventStream } from '../wire/sse.ts';

export interface RouteParts {
  readonly config: ServerConfig;
  readonly models: ModelRegistry;
  readonly counters: Counters;
  readonly replies: Replies;
}

/** Chunks as a stream of `data:` frames that ends with `[DONE]`, an error event before it where the reply failed. */
export async function streamChunks(
  parts: RouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  running: RunningReply,
  chunks: AsyncIterable<object>,
): Promise<FastifyReply> {
  await writeEventStream(reply, {
    frames: dataFrames(chunks),
    failureFrames: (error) => {
      request.log.error({ err: error }, 'a reply failed');
      return dataFailure(error);
    },
    signal: running.signal,
    keepAliveMs: parts.config.keepAliveMs,
  });
  return reply;
}
