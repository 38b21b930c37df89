// `object.name` and `object[key]` as Jinja reads them.

import { formatBraces } from './format-braces.ts';
import { methodOf } from './methods.ts';
import { Text } from './text.ts';
import {
  Callable,
  characters,
  Dict,
  Group,
  List,
  Loop,
  Namespace,
  or,
  TemplateError,
  toText,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** `object.name`: what Python's getattr finds, else the item. */
export function attribute(object: Value, name: string): Value {
  if (object instanceof Namespace) return or(object.attributes.get(name), missing(object, name));
  if (object instanceof Loop) return or(object.attribute(name), missing(object, name));
  if (object instanceof Callable && name === 'name') return Text.template(object.name);
  const part = object instanceof Group ? object.attribute(name) : undefined;
  if (part !== undefined) return part;
  const method = formatOf(object, name) ?? methodOf(object, name);
  if (method !== undefined) return method;
  return or(object instanceof Dict ? object.getText(name) : undefined, missing(object, name));
}

/** `object[key]`: the item, else, for a text key, what getattr finds. */
export function item(object: Value, key: Value): Value {
  if (object instanceof Dict) {
    const found = object.get(key);
    if (found !== undefined) return found;
  }
  if (key instanceof Text) return attribute(object, key.value);
  if (typeof key === 'bigint' || typeof key === 'boolean') {
    const items = object instanceof Text ? characters(object) : object instanceof List ? object.items : [];
    const found = items.at(Number(key));
    if (found !== undefined) return found;
  }
  return new Undefined(`${typeName(object)} has no element ${toText(key).value}`);
}

function missing(object: Value, name: string): Undefined {
  return new Undefined(`'${typeName(object)} object' has no attribute '${name}'`);
}

/** The two methods of text that look into their arguments. */
function formatOf(object: Value, name: string): Callable | undefined {
  if (!(object instanceof Text)) return undefined;
  if (name === 'format') return new Callable(name, (args) => formatBraces(object, args, { attribute, item }));
  if (name !== 'format_map') return undefined;
  return new Callable(name, ({ positional }) =>
    formatBraces(object, { positional: [], named: namesOf(positional[0] ?? null) }, { attribute, item }),
  );
}

function namesOf(value: Value): Map<string, Value> {
  if (!(value instanceof Dict)) throw new TemplateError('format_map needs a mapping');
  return new Map([...value.entries.values()].map((entry) => [toText(entry.key).value, entry.value]));
}
