// Which ids end a reply (models sheets tokenizer, section 7, and gguf, section 6).

import type { Tokenizer } from '../tokenizer/tokenizer.ts';

/** Control tokens that end a turn or a text wherever a vocabulary has them. */
const endTexts: readonly string[] = [
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '</s>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<EOT>',
  '<eos>',
  '<turn|>',
  '<|tool_response>',
  '<|return|>',
  '<|call|>',
];

/** `named` are the ids that the checkpoint's own fields give. Ascending, each once, within the vocabulary. */
export function endTokenIds(named: readonly unknown[], tokenizer: Tokenizer | null, vocabSize: number): number[] {
  const ids = new Set<number>();
  const add = (id: unknown): void => {
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < vocabSize) ids.add(id);
  };
  named.flat().forEach(add);
  if (tokenizer === null) return [...ids].sort((a, b) => a - b);
  for (const text of endTexts) {
    const id = tokenizer.tokenId(text);
    if (id !== null && tokenizer.isControl(id)) add(id);
  }
  // Gemma 4 has `</s>` in its vocabulary and does not mean it.
  const closing = tokenizer.tokenId('</s>');
  if (closing !== null && tokenizer.tokenId('<|tool_response>') !== null) ids.delete(closing);
  return [...ids].sort((a, b) => a - b);
}
