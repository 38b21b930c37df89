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
  /** The items of all conversations: responses that continue one another hold the same objects, once. */
  private readonly held = new Map<object, { readonly bytes: number; numHolders: number }>();
  private bytes = 0;

  constructor(limits: StoreLimits = { maxResponses: 1024, maxBytes: 256 * 2 ** 20 }) {
    this.limits = limits;
  }

  /** What is held now, by the length of its JSON in memory. */
  get heldBytes(): number {
    return this.bytes;
  }

  add(stored: StoredResponse): void {
    const { output, ...head } = stored.response;
    const bytes = bytesOf(head);
    this.entries.set(stored.response.id, { ...stored, bytes });
    this.bytes += bytes;
    for (const item of objectsOf(stored)) this.hold(item);
    for (const item of output) this.items.set(item.id, item);
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
    for (const item of objectsOf(entry)) this.letGo(item);
    return true;
  }

  private hold(item: object): void {
    const known = this.held.get(item);
    if (known !== undefined) {
      known.numHolders += 1;
      return;
    }
    const bytes = bytesOf(item);
    this.held.set(item, { bytes, numHolders: 1 });
    this.bytes += bytes;
  }

  private letGo(item: object): void {
    const known = this.held.get(item);
    if (known === undefined) return;
    known.numHolders -= 1;
    if (known.numHolders > 0) return;
    this.held.delete(item);
    this.bytes -= known.bytes;
  }
}

const objectsOf = ({ response, conversation }: StoredResponse): ReadonlySet<object> =>
  new Set<object>([...response.output, ...conversation]);

/** Two a character: an upper bound of what the engine of JavaScript takes for text. */
const bytesOf = (value: object): number => 2 * JSON.stringify(value).length;
