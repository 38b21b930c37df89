// Rewrites text before it is cut into pieces: tokenizer.json's `normalizer`.

import { compileOnig } from './onig-regex.ts';

export type Normalizer = (text: string) => string;

/** null where nothing is rewritten. Throws an Error that names what is not supported. */
export function normalizerFromJson(json: unknown): Normalizer | null {
  if (json === null || json === undefined) return null;
  const node = json as Readonly<Record<string, unknown>>;
  const type = String(node['type']);
  switch (type) {
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD':
      return (text) => text.normalize(type);
    case 'Lowercase':
      return (text) => text.toLowerCase();
    case 'Prepend': {
      const prefix = String(node['prepend']);
      return (text) => (text === '' ? text : prefix + text);
    }
    case 'Replace':
      return replaceFromJson(node);
    case 'Sequence':
      return (node['normalizers'] as readonly unknown[]).map(normalizerFromJson).reduce(compose, null);
    default:
      throw new Error(`normalizer "${type}" of tokenizer.json is not supported`);
  }
}

function replaceFromJson(node: Readonly<Record<string, unknown>>): Normalizer {
  const pattern = node['pattern'] as { readonly Regex?: string; readonly String?: string };
  const content = String(node['content']);
  const from = pattern.Regex === undefined ? String(pattern.String) : compileOnig(pattern.Regex, 'g');
  return (text) => text.replaceAll(from, () => content);
}

function compose(first: Normalizer | null, then: Normalizer | null): Normalizer | null {
  if (first === null || then === null) return first ?? then;
  return (text) => then(first(text));
}
