// A checkpoint's chat template through the room that owns templates.

import type { PromptPiece } from '@tensorfold/protocol';
import { loadTemplate, type WireMessage } from '@tensorfold/templates';
import type { Checkpoint } from '../../libs/engine-native/src/checkpoint/checkpoint.ts';

export type ChatMessages = readonly WireMessage[];

export function renderChat(
  checkpoint: Checkpoint,
  messages: ChatMessages,
  kwargs: Readonly<Record<string, unknown>>,
): readonly PromptPiece[] {
  const template = loadTemplate({
    source: checkpoint.chatTemplate,
    specialTokens: checkpoint.specialTokens,
    tokenId: (text) => checkpoint.tokenizer?.tokenId(text) ?? null,
  });
  return template.render({ messages, kwargs }).pieces;
}
