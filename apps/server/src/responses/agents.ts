// `--compat agents`: what coding agents send and this server does not run is taken out, and said.

import { isObject } from '@tensorfold/protocol';
import type { ResponseStore } from './store.ts';

export interface Leniently {
  readonly body: unknown;
  /** What was left out, e.g. `tools[1] (web_search)`. */
  readonly skipped: readonly string[];
}

/**
 * Drops tools of types that are not run here and the request for encrypted reasoning; puts stored items in the place of
 * references. A forced tool of such a type stays, and is refused like any other.
 */
export function withoutAgentExtras(body: unknown, store: ResponseStore): Leniently {
  if (!isObject(body)) return { body, skipped: [] };
  const skipped: string[] = [];
  const lenient: Record<string, unknown> = { ...body };
  const { tools, include, input } = body;
  if (Array.isArray(tools)) {
    lenient['tools'] = tools.filter((tool: unknown, index) => {
      const type = isObject(tool) ? tool['type'] : undefined;
      if (type === 'function' || typeof type !== 'string') return true;
      skipped.push(`tools[${index}] (${type})`);
      return false;
    });
  }
  if (Array.isArray(include)) {
    lenient['include'] = include.filter((entry: unknown, index) => {
      if (entry !== 'reasoning.encrypted_content') return true;
      skipped.push(`include[${index}] (${entry})`);
      return false;
    });
  }
  if (Array.isArray(input)) {
    lenient['input'] = input.map((item: unknown) => {
      if (!isObject(item) || item['type'] !== 'item_reference' || typeof item['id'] !== 'string') return item;
      return store.item(item['id']) ?? item;
    });
  }
  return { body: lenient, skipped };
}
