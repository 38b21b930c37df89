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
  if (pattern.Regex === undefined) {
    const from = String(pattern.String);
    if (from.length === 1 && content.length === 1) return (text) => replaceUnit(text, from, content);
    return (text) => text.replaceAll(from, () => content);
  }
  const from = compileOnig(pattern.Regex, 'g');
  return (text) => text.replaceAll(from, () => content);
}

/** replaceAll for one UTF-16 unit by another, several times faster. */
export function replaceUnit(text: string, from: string, to: string): string {
  const bytes = Buffer.from(text, 'utf16le');
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  const [given, put] = [from.charCodeAt(0), to.charCodeAt(0)];
  for (let i = 0; i < units.length; i += 1) if (units[i] === given) units[i] = put;
  return bytes.toString('utf16le');
}

function compose(first: Normalizer | null, then: Normalizer | null): Normalizer | null {
  if (first === null || then === null) return first ?? then;
  return (text) => then(first(text));
}
