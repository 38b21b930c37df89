// API keys: any of a list opens /v1 and the token routes. Compared in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { RequestError } from '@tensorfold/protocol';

/** Paths that tools without a key read: probes, metrics, the description of the API. */
const OPEN_PATHS = /^\/(?:health(?:\/live|\/ready)?|metrics|openapi\.json)$/;

export function requireApiKeys(app: FastifyInstance, keys: readonly string[]): void {
  if (keys.length === 0) return;
  const digests = keys.map(digest);
  app.addHook('onRequest', (request, _reply, done) => {
    const path = request.url.split('?')[0] ?? '';
    if (OPEN_PATHS.test(path)) return done();
    const sent = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const sentDigest = digest(sent.trim());
    // Every key is compared, so the time tells neither which one nor how much of it was right.
    const isKnown = digests.map((known) => timingSafeEqual(known, sentDigest)).includes(true);
    if (isKnown) return done();
    const message = sent === '' ? 'send an API key: authorization: Bearer KEY' : 'the API key is not known here';
    done(new RequestError(message, { status: 401, type: 'authentication_error', code: 'invalid_api_key' }) as Error);
  });
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();
