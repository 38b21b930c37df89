// Hashes that users see: the key of a request without a seed, and the hash of a reply.

import { createHash } from 'node:crypto';
import type { TokenId } from '@tensorfold/protocol';

/** The first 8 bytes of SHA-256 over the prompt's decimal ids joined by commas, a line feed, and the salt. */
export function replySeed(prompt: readonly TokenId[], salt: string): bigint {
  return createHash('sha256')
    .update(`${prompt.join(',')}\n${salt}`)
    .digest()
    .readBigUInt64BE(0);
}

/** The first 12 hex digits of SHA-256 over the reply's decimal ids joined by commas. */
export function tokenSha(reply: readonly TokenId[]): string {
  return createHash('sha256').update(reply.join(',')).digest('hex').slice(0, 12);
}
