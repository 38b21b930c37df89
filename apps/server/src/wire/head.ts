// What all chunks of a reply, or its one body, have in common.

import { randomBytes } from 'node:crypto';
import type { LoadedModel } from '../models/registry.ts';

export interface ReplyHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: LoadedModel;
  /** A chunk of its own for usage, at the end (`stream_options.include_usage`). */
  readonly includeUsage: boolean;
}

export function replyHead(prefix: 'chatcmpl' | 'cmpl', model: LoadedModel, request: StreamFields = {}): ReplyHead {
  return {
    id: createId(prefix, '-'),
    created: nowSeconds(),
    model,
    includeUsage: request.stream_options?.include_usage ?? false,
  };
}

interface StreamFields {
  readonly stream_options?: { readonly include_usage?: boolean | null | undefined } | null | undefined;
}

export const createId = (prefix: string, separator = '_'): string =>
  `${prefix}${separator}${randomBytes(12).toString('hex')}`;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
