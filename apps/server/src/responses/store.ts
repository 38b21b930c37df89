// Finished responses, in this process's memory: the newest 1,024, up to 256 MiB. A restart forgets them.

import type { ModelResponse, ResponseInputItem, ResponseOutputItem } from '@tensorfold/protocol';

export interface StoredResponse {
  readonly response: ModelResponse;
  /** The whole conversation through this response's output, instructions left out; deleting earlier ones leaves it. */
  readonly conversation: readonly ResponseInputItem[];
}

export interface StoreLimits {
  readonly maxResponses: number;
  readonly maxBytes: number;
}

export class ResponseStore {
  private readonly limits: StoreLimits;
  /** Oldest first. */
  private readonly entries = new Map<string, StoredResponse & { readonly bytes: number }>();
  private readonly items = new Map<string, ResponseOutputItem>();
  private bytes = 0;

  constructor(limits: StoreLimits = { maxResponses: 1024, maxBytes: 256 * 2 ** 20 }) {
    this.limits = limits;
  }

  add(stored: StoredResponse): void {
    const bytes = 2 * JSON.stringify([stored.response, stored.conversation]).length;
    this.entries.set(stored.response.id, { ...stored, bytes });
    for (const item of stored.response.output) this.items.set(item.id, item);
    this.bytes += bytes;
    for (const id of this.entries.keys()) {
      if (this.entries.size <= this.limits.maxResponses && this.bytes <= this.limits.maxBytes) break;
      this.delete(id);
    }
  }

  get(id: string): StoredResponse | null {
    return this.entries.get(id) ?? null;
  }

  /** An output item of any stored response. */
  item(id: string): ResponseOutputItem | null {
    return this.items.get(id) ?? null;
  }

  /** Whether there was one. */
  delete(id: string): boolean {
    const entry = this.entries.get(id);
    if (entry === undefined) return false;
    this.entries.delete(id);
    for (const item of entry.response.output) this.items.delete(item.id);
    this.bytes -= entry.bytes;
    return true;
  }
}
