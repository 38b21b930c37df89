// A limit on thinking: the reply's budget-th token, while it still thinks, becomes the closing text.

import type { ThinkingSettings, TokenId } from '@tensorfold/protocol';
import type { Constraint, Step } from './constraint.ts';

export class ThinkingBudget implements Constraint {
  private readonly settings: ThinkingSettings;
  private thinking: boolean;
  private numTokens = 0;
  /** Closing tokens already written; 0 until the budget is reached. */
  private numClosing = 0;

  constructor(settings: ThinkingSettings) {
    this.settings = settings;
    this.thinking = settings.startsOpen;
  }

  next(): Step {
    const forced = this.foreseen()[0];
    return forced === undefined ? null : { forced };
  }

  replace(token: TokenId): TokenId {
    return token;
  }

  push(token: TokenId): void {
    if (this.foreseen()[0] === token) this.numClosing += 1;
    this.numTokens += 1;
    if (token === this.settings.openId && !this.thinking && this.numClosing === 0) this.thinking = true;
    if (token === this.settings.closeId) this.thinking = false;
  }

  foreseen(): readonly TokenId[] {
    const { budgetTokens, closeIds } = this.settings;
    const closes = this.numClosing > 0 || (this.thinking && budgetTokens > 0 && this.numTokens + 1 === budgetTokens);
    return closes ? closeIds.slice(this.numClosing) : [];
  }
}
