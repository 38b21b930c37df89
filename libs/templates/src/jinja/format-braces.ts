// Python's str.format, for the replacement fields that templates write.

import { asciiWhere, formatValue } from './format.ts';
import { Text } from './text.ts';
import { type Arguments, represent, TemplateError, toText, Undefined, type Value } from './values.ts';

/** `{}`, `{0}`, `{name}`, with `.attribute` and `[key]`, a conversion after `!` and a specification after `:`. */
const replacement = /^([^!:[\].]*)((?:\.[^!:[\].]+|\[[^\]]*\])*)(?:!([rsa]))?(?::(.*))?$/s;

/** How a template reads `a.b` and `a[b]` (access.ts). */
export interface Access {
  readonly attribute: (object: Value, name: string) => Value;
  readonly item: (object: Value, key: Value) => Value;
}

/** `pattern.format(...)`. */
export function formatBraces(pattern: Text, args: Arguments, access: Access): Text {
  let next = 0;
  const valueOf = (name: string): Value => {
    const key = name === '' ? String(next++) : name;
    const value = /^\d+$/.test(key) ? args.positional[Number(key)] : args.named.get(key);
    if (value === undefined) throw new TemplateError(`format() has no argument for {${name}}`);
    return value;
  };
  const field = (inside: string): Text => {
    const match = replacement.exec(inside);
    if (match === null) throw new TemplateError(`format() cannot read {${inside}}`);
    const [, name = '', path = '', conversion, spec = ''] = match;
    let value = valueOf(name);
    for (const [step] of path.matchAll(/\.[^.[]+|\[[^\]]*\]/g)) value = follow(value, step, access);
    if (conversion === 's') value = toText(value);
    else if (conversion !== undefined) value = Text.caller(asciiWhere(conversion === 'a', represent(value)));
    return formatValue(
      value,
      spec.replace(/\{([^{}]*)\}/g, (_whole, inner: string) => field(inner).value),
    );
  };
  const { value: text } = pattern;
  const parts: Text[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!;
    if (character !== '{' && character !== '}') continue;
    parts.push(pattern.slice(start, at));
    if (text[at + 1] === character) {
      parts.push(pattern.slice(at, at + 1));
      at += 1;
    } else if (character === '}') {
      throw new TemplateError("Single '}' encountered in format string");
    } else {
      const end = closing(text, at);
      parts.push(field(text.slice(at + 1, end)));
      at = end;
    }
    start = at + 1;
  }
  parts.push(pattern.slice(start, text.length));
  return Text.concat(parts);
}

function follow(object: Value, step: string, { attribute, item }: Access): Value {
  const isItem = step.startsWith('[');
  const key = isItem ? step.slice(1, -1) : step.slice(1);
  const found = isItem ? item(object, /^\d+$/.test(key) ? BigInt(key) : Text.template(key)) : attribute(object, key);
  if (found instanceof Undefined) throw new TemplateError(found.what);
  return found;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    else if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new TemplateError("expected '}' before end of string");
}
