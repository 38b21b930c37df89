// Server-sent events by hand: one write a frame, the reader's pace, comments in silence, nothing after the client left.

import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import { RequestError, toErrorBody } from '@tensorfold/protocol';
import { clientLeft } from '../generation/replies.ts';

export interface EventStream {
  readonly frames: AsyncGenerator<string>;
  /** What a stream says, and ends with, when its frames throw. */
  readonly failureFrames: (error: unknown) => string;
  /** Aborted when the client left. */
  readonly signal: AbortSignal;
  /** Silence before a comment line. */
  readonly keepAliveMs: number;
}

/** A request that cannot run fails well within this; a long prompt should not keep its reader waiting for headers. */
const OPEN_AFTER_MS = 1_000;

/**
 * Writes frames until they end. A RequestError before the first frame is thrown, with nothing written, so it becomes an
 * HTTP status; any failure after that ends the stream with `failureFrames`.
 */
export async function writeEventStream(reply: FastifyReply, stream: EventStream): Promise<void> {
  const { frames, signal } = stream;
  const first = frames.next();
  await firstOrLate(first);
  const { raw } = reply;
  reply.hijack();
  // A write after the client left is reported here; the signal says it too.
  raw.on('error', () => {});
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    // Proxies that buffer replies would hold a stream back.
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const keepAlive = setInterval(() => {
    if (!raw.writableNeedDrain && !raw.destroyed) raw.write(': keepalive\n\n');
  }, stream.keepAliveMs);
  try {
    for (let next = await first; next.done !== true; next = await frames.next()) {
      if (clientLeft(signal)) break;
      keepAlive.refresh();
      if (!raw.write(next.value)) await once(raw, 'drain', { signal });
    }
  } catch (error) {
    if (!clientLeft(signal)) raw.write(stream.failureFrames(error));
  } finally {
    clearInterval(keepAlive);
    await frames.return(undefined);
    raw.end();
  }
}

async function firstOrLate(first: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, OPEN_AFTER_MS);
  });
  try {
    await Promise.race([first, late]);
  } catch (error) {
    if (error instanceof RequestError) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Chunks as `data:` frames, then `[DONE]`. */
export async function* dataFrames(chunks: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const chunk of chunks) yield dataFrame(chunk);
  yield DONE;
}

export const dataFailure = (error: unknown): string => dataFrame({ error: toErrorBody(error) }) + DONE;

export const eventFrame = (value: { readonly type: string }): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;

const DONE = 'data: [DONE]\n\n';
const dataFrame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
