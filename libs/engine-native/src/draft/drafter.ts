// Who guesses the next tokens. A wrong draft costs time and changes nothing (docs/exactness.md, rule 3).

import type { TokenId } from '@tensorfold/protocol';

export interface Draft {
  readonly tokens: readonly TokenId[];
  /** Which acceptance record the draft belongs to (draft/depth.ts). */
  readonly kind: number;
}

export const noDraft: Draft = { tokens: [], kind: 0 };
