// KV pages: who holds which, and which beginnings of text they spell. A page is 64 positions; pages of equal beginnings
// are shared (a radix tree with one page a node), and a lane resumes at any token by copying the page it diverges in.
// For families with recurrent state, a node is where a snapshot would hang (taken at page cuts).

import type { TokenId } from '@tensorfold/protocol';

export const pageTokens = 64;

/** A page in the tree. Its tokens and keys never change; only its children and counters do. */
interface Node {
  readonly parent: Node | null;
  /** 1 to 64 tokens; only a full page has children. Empty for a root. */
  readonly tokens: readonly TokenId[];
  readonly page: number;
  /** By first token. */
  readonly children: Map<TokenId, Node[]>;
  /** Lanes that hold the page. */
  refs: number;
  hits: number;
  /** Clock of the last use. */
  lastUse: number;
}

/** The pages of one lane, in order. Shared ones come first. */
export interface LanePages {
  /** Page ids; page k holds positions [64 k, 64 k + 64). */
  readonly table: number[];
  /** Nodes of the shared beginning: table[k] belongs to nodes[k] for k < nodes.length. */
  readonly nodes: Node[];
  readonly root: Node;
}

/** What a use adds to a page's age when it comes to eviction, in uses of any page. */
const hitValue = 16;

export class PrefixCache {
  readonly numPages: number;
  private readonly free: number[] = [];
  private readonly roots = new Map<string, Node>();
  private readonly nodes = new Set<Node>();
  private readonly copyPage: (from: number, to: number) => void;
  private clock = 0;

  constructor(numPages: number, copyPage: (from: number, to: number) => void) {
    this.numPages = numPages;
    this.copyPage = copyPage;
    for (let page = numPages - 1; page >= 0; page -= 1) this.free.push(page);
  }

  /** Pages that a lane could get now: free ones and cached ones that no lane holds. */
  get numAvailable(): number {
    let cached = 0;
    for (const node of this.nodes) if (node.refs === 0) cached += 1;
    return this.free.length + cached;
  }

  get numFree(): number {
    return this.free.length;
  }

  /** Length of the longest cached beginning of `tokens`, at most `limit`. Takes nothing. */
  matchLength(tokens: readonly TokenId[], limit: number, salt: string): number {
    const root = this.roots.get(salt);
    return root === undefined ? 0 : this.walk(root, tokens, limit).length;
  }

  /** A lane's pages for the longest cached beginning of `tokens`, at most `limit` tokens; `length` says how many. */
  open(
    tokens: readonly TokenId[],
    limit: number,
    salt: string,
  ): { readonly pages: LanePages; readonly length: number } {
    const root = this.rootOf(salt);
    const { path, partial, length } = this.walk(root, tokens, limit);
    for (const node of path) this.hold(node);
    const pages: LanePages = { table: path.map((node) => node.page), nodes: path, root };
    if (partial === null) return { pages, length };
    this.hold(partial);
    const copy = this.allocate();
    partial.refs -= 1;
    if (copy === null) return { pages, length: path.length * pageTokens };
    this.copyPage(partial.page, copy);
    pages.table.push(copy);
    return { pages, length };
  }

  /** Makes the lane's pages cover `numTokens` positions. False, with what could be had, where memory is out. */
  extend(pages: LanePages, numTokens: number): boolean {
    while (pages.table.length * pageTokens < numTokens) {
      const page = this.allocate();
      if (page === null) return false;
      pages.table.push(page);
    }
    return true;
  }

  /**
   * Offers the lane's full pages to others: `computed` of `tokens` have their keys in them. A page that the tree has
   * already is given back and the tree's taken: the same tokens made the same bits.
   */
  publish(pages: LanePages, tokens: readonly TokenId[], computed: number): void {
    const numFull = Math.floor(computed / pageTokens);
    for (let index = pages.nodes.length; index < numFull; index += 1) {
      const parent = pages.nodes[index - 1] ?? pages.root;
      const own = tokens.slice(index * pageTokens, (index + 1) * pageTokens);
      const known = parent.children.get(own[0]!)?.find((node) => commonLength(node.tokens, own, 0) === pageTokens);
      if (known === undefined) {
        pages.nodes.push(this.insert(parent, own, pages.table[index]!, 1));
        continue;
      }
      this.hold(known);
      this.free.push(pages.table[index]!);
      pages.table[index] = known.page;
      pages.nodes.push(known);
    }
  }

  /**
   * Takes the lane's pages back. With `keep`, what `computed` tokens filled stays in the tree, the begun last page
   * included; without (a round failed), only what was published before.
   */
  close(pages: LanePages, tokens: readonly TokenId[], computed: number, keep: boolean): void {
    if (keep) this.publish(pages, tokens, computed);
    const numShared = pages.nodes.length;
    const rest = keep ? computed - numShared * pageTokens : 0;
    for (let index = numShared; index < pages.table.length; index += 1) {
      const page = pages.table[index]!;
      const begun = index === numShared && rest > 0 ? tokens.slice(index * pageTokens, index * pageTokens + rest) : [];
      if (begun.length === 0 || !this.keepBegun(pages.nodes.at(-1) ?? pages.root, begun, page)) this.free.push(page);
    }
    for (const node of pages.nodes) node.refs -= 1;
    pages.table.length = 0;
    pages.nodes.length = 0;
  }

  /** Forgets all that no lane holds. */
  clear(): void {
    while (this.evict());
  }

  /** Throws where the books do not balance: for tests. `held`: the pages of all open lanes. */
  check(held: readonly LanePages[]): void {
    const seen = new Set<number>(this.free);
    if (seen.size !== this.free.length) throw new Error('a page is free twice');
    for (const node of this.nodes) {
      if (seen.has(node.page)) throw new Error(`page ${node.page} is in the tree and elsewhere`);
      seen.add(node.page);
      const refs = held.filter((pages) => pages.nodes.includes(node)).length;
      if (refs !== node.refs) throw new Error(`page ${node.page} counts ${node.refs} lanes, ${refs} hold it`);
    }
    for (const pages of held) {
      for (const page of pages.table.slice(pages.nodes.length)) {
        if (seen.has(page)) throw new Error(`page ${page} is a lane's own and elsewhere`);
        seen.add(page);
      }
    }
    if (seen.size !== this.numPages) throw new Error(`${this.numPages - seen.size} pages are lost`);
  }

  private rootOf(salt: string): Node {
    let root = this.roots.get(salt);
    if (root === undefined) {
      root = { parent: null, tokens: [], page: -1, children: new Map(), refs: 0, hits: 0, lastUse: 0 };
      this.roots.set(salt, root);
    }
    return root;
  }

  private walk(
    root: Node,
    tokens: readonly TokenId[],
    limit: number,
  ): { path: Node[]; partial: Node | null; length: number } {
    const path: Node[] = [];
    let node = root;
    for (;;) {
      const from = path.length * pageTokens;
      let best: Node | null = null as Node | null;
      let bestLength = 0;
      for (const child of node.children.get(tokens[from] ?? -1) ?? []) {
        const length = Math.min(commonLength(child.tokens, tokens, from), limit - from);
        if (length > bestLength) {
          best = child;
          bestLength = length;
        }
      }
      if (best === null || bestLength < pageTokens) {
        return { path, partial: bestLength > 0 ? best : null, length: from + Math.max(0, bestLength) };
      }
      path.push(best);
      node = best;
    }
  }

  private hold(node: Node): void {
    node.refs += 1;
    node.hits += 1;
    node.lastUse = this.clock += 1;
  }

  private insert(parent: Node, tokens: readonly TokenId[], page: number, refs: number): Node {
    const node: Node = { parent, tokens, page, children: new Map(), refs, hits: 0, lastUse: (this.clock += 1) };
    const siblings = parent.children.get(tokens[0]!);
    if (siblings === undefined) parent.children.set(tokens[0]!, [node]);
    else siblings.push(node);
    this.nodes.add(node);
    return node;
  }

  /** Keeps a begun page, unless the tree has as much; a shorter begun page that it continues goes. */
  private keepBegun(parent: Node, tokens: readonly TokenId[], page: number): boolean {
    const shorter: Node[] = [];
    for (const sibling of parent.children.get(tokens[0]!) ?? []) {
      const common = commonLength(sibling.tokens, tokens, 0);
      if (common === tokens.length) return false;
      if (common === sibling.tokens.length && sibling.refs === 0) shorter.push(sibling);
    }
    this.insert(parent, tokens, page, 0);
    for (const sibling of shorter) this.remove(sibling);
    return true;
  }

  private allocate(): number | null {
    const page = this.free.pop();
    if (page !== undefined) return page;
    return this.evict() ? this.free.pop()! : null;
  }

  /** Gives up the least valuable page that nobody holds and nothing continues: old, and seldom used. */
  private evict(): boolean {
    let worst: Node | null = null;
    let worstValue = Infinity;
    for (const node of this.nodes) {
      if (node.refs > 0 || node.children.size > 0) continue;
      const value = node.lastUse + hitValue * Math.log2(1 + node.hits);
      if (value < worstValue) {
        worst = node;
        worstValue = value;
      }
    }
    if (worst === null) return false;
    this.remove(worst);
    return true;
  }

  private remove(node: Node): void {
    const siblings = node.parent!.children.get(node.tokens[0]!)!;
    siblings.splice(siblings.indexOf(node), 1);
    if (siblings.length === 0) node.parent!.children.delete(node.tokens[0]!);
    this.nodes.delete(node);
    this.free.push(node.page);
    this.dropEmptyRoots(node.parent!);
  }

  private dropEmptyRoots(root: Node): void {
    if (root.parent !== null || root.children.size > 0 || root.page !== -1) return;
    for (const [salt, known] of this.roots) if (known === root && salt !== '') this.roots.delete(salt);
  }
}

/** Length of the common beginning of `a` and of `b` from index `from` on. */
export function commonLength(a: readonly TokenId[], b: readonly TokenId[], from: number): number {
  const end = Math.min(a.length, b.length - from);
  let length = 0;
  while (length < end && a[length] === b[from + length]) length += 1;
  return length;
}
