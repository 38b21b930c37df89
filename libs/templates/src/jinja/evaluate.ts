// Runs a parsed template as Jinja2 would: Python's values and scopes, and every character known as template's or caller's.

import { attribute, item } from './access.ts';
import { filterNamed, hasFilter } from './filters.ts';
import type {
  Argument,
  CallBlockNode,
  CompareNode,
  Expression,
  FilterCall,
  Extras,
  ForNode,
  MacroNode,
  Node,
  Parameter,
  SliceNode,
  Target,
  WithNode,
} from './nodes.ts';
import { maxCharacters } from './limits.ts';
import { binary, bounded, negate } from './operators.ts';
import { runTest } from './tests.ts';
import { Text } from './text.ts';
import {
  type Arguments,
  Callable,
  characters,
  Dict,
  isTrue,
  iterate,
  List,
  Loop,
  Namespace,
  or,
  TemplateError,
  TemplateRaised,
  toInteger,
  toText,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** Stopped by TemplateError after `maxSteps` nodes. */
export function evaluate(nodes: readonly Node[], globals: ReadonlyMap<string, Value>, maxSteps: number): Text {
  const root = new Scope(null);
  for (const [name, value] of globals) root.set(name, value);
  const output: Text[] = [];
  const top = new Scope(root);
  new Run(maxSteps, top).body(nodes, top, output);
  return Text.concat(output);
}

class Scope {
  readonly #parent: Scope | null;
  readonly #values = new Map<string, Value>();

  constructor(parent: Scope | null) {
    this.#parent = parent;
  }

  get(name: string): Value | undefined {
    const value = this.#values.get(name);
    return value === undefined ? this.#parent?.get(name) : value;
  }

  set(name: string, value: Value): void {
    this.#values.set(name, value);
  }
}

/** How a body ended: at its end, or at a break or continue of the loop around it. */
type Ending = 'end' | 'break' | 'continue';

/** What a macro and a call block have in common. */
type MacroForm = Pick<MacroNode, 'parameters' | 'takes' | 'body'>;

class Run {
  readonly #maxSteps: number;
  /** What the template sets outside of all loops and blocks. */
  readonly #top: Scope;
  #steps = 0;
  #written = 0;

  constructor(maxSteps: number, top: Scope) {
    this.#maxSteps = maxSteps;
    this.#top = top;
  }

  body(nodes: readonly Node[], scope: Scope, output: Text[]): Ending {
    for (const node of nodes) {
      this.#count();
      try {
        const ending = this.#node(node, scope, output);
        if (ending !== 'end') return ending;
      } catch (error) {
        if (error instanceof TemplateError && !(error instanceof TemplateRaised)) error.line ??= node.line;
        throw error;
      }
    }
    return 'end';
  }

  #node(node: Node, scope: Scope, output: Text[]): Ending {
    switch (node.type) {
      case 'Data':
        this.#write(Text.template(node.text), output);
        return 'end';
      case 'Output':
        this.#write(this.#value(node.value, scope), output);
        return 'end';
      case 'Do':
        this.#value(node.value, scope);
        return 'end';
      case 'Break':
        return 'break';
      case 'Continue':
        return 'continue';
      case 'If':
        return this.body(isTrue(this.#value(node.test, scope)) ? node.body : node.otherwise, scope, output);
      case 'For':
        this.#for(node, scope, output);
        return 'end';
      case 'Set':
        this.#bind(node.target, this.#value(node.value, scope), scope);
        return 'end';
      case 'SetBlock':
        this.#bind(node.target, this.#filters(this.#capture(node.body, scope), node.filters, scope), scope);
        return 'end';
      case 'With':
        return this.body(node.body, this.#withNames(node, scope), output);
      case 'Block':
        return this.body(node.body, new Scope(node.isScoped ? scope : this.#top), output);
      case 'Macro':
        scope.set(node.name, this.#macro(node.name, node, scope));
        return 'end';
      case 'CallBlock':
        this.#write(this.#callBlock(node, scope), output);
        return 'end';
      case 'FilterBlock':
        this.#write(this.#filters(this.#capture(node.body, scope), node.filters, scope), output);
        return 'end';
    }
  }

  /** The values are read outside: `{% with a = 1, b = a %}` takes the outer a. */
  #withNames(node: WithNode, scope: Scope): Scope {
    const inner = new Scope(scope);
    const values = node.names.map(({ value }) => this.#value(value, scope));
    node.names.forEach(({ target }, index) => this.#bind(target, values[index]!, inner));
    return inner;
  }

  #write(value: Value, output: Text[]): void {
    const text = toText(value);
    this.#written += text.value.length;
    if (this.#written > maxCharacters)
      throw new TemplateError(`the template writes more than ${maxCharacters} characters`);
    output.push(text);
  }

  #count(): void {
    this.#steps += 1;
    if (this.#steps > this.#maxSteps) throw new TemplateError(`the template takes more than ${this.#maxSteps} steps`);
  }

  #capture(nodes: readonly Node[], scope: Scope): Text {
    const output: Text[] = [];
    this.body(nodes, new Scope(scope), output);
    return Text.concat(output);
  }

  #for(node: ForNode, scope: Scope, output: Text[]): void {
    this.#loop(node, this.#value(node.iterable, scope), 1, scope, output);
  }

  #loop(node: ForNode, iterable: Value, depth: number, scope: Scope, output: Text[]): void {
    const items = iterate(iterable).filter((item) => {
      if (node.test === null) return true;
      const inner = new Scope(scope);
      this.#bind(node.target, item, inner);
      return isTrue(this.#value(node.test, inner));
    });
    if (items.length === 0) {
      this.body(node.otherwise, new Scope(scope), output);
      return;
    }
    const recurse = (args: Arguments): Value => {
      if (!node.isRecursive) throw new TemplateError('loop() needs {% for ... recursive %}');
      const inner: Text[] = [];
      this.#loop(node, or(args.positional[0], null), depth + 1, scope, inner);
      return Text.concat(inner);
    };
    const memory = { asked: null };
    for (const [index, item] of items.entries()) {
      this.#count();
      // Each turn starts afresh: what an earlier one set is gone.
      const inner = new Scope(scope);
      inner.set('loop', new Loop(items, index, depth, memory, recurse));
      this.#bind(node.target, item, inner);
      if (this.body(node.body, inner, output) === 'break') return;
    }
  }

  #bind(target: Target, value: Value, scope: Scope): void {
    if (target.type === 'Name') {
      scope.set(target.name, value);
    } else if (target.type === 'TupleTarget') {
      const parts = unpack(value);
      if (parts.length !== target.parts.length) {
        throw new TemplateError(`cannot unpack ${parts.length} values into ${target.parts.length} names`);
      }
      target.parts.forEach((part, index) => this.#bind(part, parts[index]!, scope));
    } else {
      const object = scope.get(target.name);
      if (!(object instanceof Namespace)) {
        throw new TemplateError(`cannot set ${target.name}.${target.attribute}: ${target.name} is no namespace`);
      }
      object.attributes.set(target.attribute, value);
    }
  }

  #macro(name: string, { parameters, takes, body }: MacroForm, scope: Scope): Callable {
    return new Callable(name, (args) => {
      const inner = new Scope(scope);
      this.#bindParameters(name, parameters, args, inner);
      this.#bindExtras(name, parameters, takes, args, inner);
      return this.#capture(body, inner);
    });
  }

  #bindParameters(name: string, parameters: readonly Parameter[], args: Arguments, scope: Scope): void {
    for (const [index, parameter] of parameters.entries()) {
      const isPositional = index < args.positional.length;
      if (isPositional && args.named.has(parameter.name)) {
        throw new TemplateError(`macro '${name}' got several values for '${parameter.name}'`);
      }
      const given = isPositional ? args.positional[index] : args.named.get(parameter.name);
      scope.set(parameter.name, given === undefined ? this.#otherwise(parameter, scope) : given);
    }
  }

  #bindExtras(name: string, parameters: readonly Parameter[], takes: Extras, args: Arguments, scope: Scope): void {
    const named = new Map(args.named);
    for (const parameter of parameters) named.delete(parameter.name);
    if (takes.has('caller')) {
      scope.set('caller', or(named.get('caller'), new Undefined('No caller defined')));
      named.delete('caller');
    }
    const varargs = args.positional.slice(parameters.length);
    if (takes.has('varargs')) scope.set('varargs', new List(varargs, true));
    else if (varargs.length > 0)
      throw new TemplateError(`macro '${name}' takes not more than ${parameters.length} argument(s)`);
    const [unknown] = named.keys();
    if (takes.has('kwargs'))
      scope.set('kwargs', new Dict([...named].map(([key, value]) => ({ key: Text.template(key), value }))));
    else if (unknown !== undefined) throw new TemplateError(`macro '${name}' takes no keyword argument '${unknown}'`);
  }

  #otherwise({ name, otherwise }: Parameter, scope: Scope): Value {
    return otherwise === null ? new Undefined(`parameter '${name}' was not provided`) : this.#value(otherwise, scope);
  }

  #callBlock(node: CallBlockNode, scope: Scope): Value {
    const caller = this.#macro('caller', node, scope);
    const args = this.#arguments(node.call.args, scope);
    return this.#invoke(node.call.callee, { ...args, named: new Map([...args.named, ['caller', caller]]) }, scope);
  }

  #value(node: Expression, scope: Scope): Value {
    this.#count();
    switch (node.type) {
      case 'Name':
        return or(scope.get(node.name), new Undefined(`'${node.name}' is undefined`));
      case 'Text':
        return Text.template(node.text);
      case 'Constant':
        return node.value;
      case 'List':
      case 'Tuple':
        return new List(
          node.items.map((each) => this.#value(each, scope)),
          node.type === 'Tuple',
        );
      case 'Dict':
        return new Dict(
          node.entries.map(({ key, value }) => ({ key: this.#value(key, scope), value: this.#value(value, scope) })),
        );
      case 'Not':
        return !isTrue(this.#value(node.operand, scope));
      case 'Negative':
        return negate(this.#value(node.operand, scope));
      case 'Positive':
        return negate(negate(this.#value(node.operand, scope)));
      case 'And':
      case 'Or':
        return this.#logical(node.type, node.left, node.right, scope);
      case 'Binary':
        return binary(node.operator, this.#value(node.left, scope), this.#value(node.right, scope));
      case 'Compare':
        return this.#compare(node, scope);
      case 'Condition':
        if (isTrue(this.#value(node.test, scope))) return this.#value(node.value, scope);
        if (node.otherwise !== null) return this.#value(node.otherwise, scope);
        return new Undefined('the inline if-expression evaluated to false and no else section was defined');
      case 'Filter':
        return this.#filter(this.#value(node.operand, scope), node.filter, scope);
      case 'Test': {
        const value = this.#value(node.operand, scope);
        if (node.name === 'filter') return (value instanceof Text && hasFilter(value.value)) !== node.isNegated;
        return runTest(node.name, value, this.#arguments(node.args, scope).positional) !== node.isNegated;
      }
      case 'Attribute':
        return attribute(defined(this.#value(node.object, scope)), node.name);
      case 'Item':
        return item(defined(this.#value(node.object, scope)), this.#value(node.key, scope));
      case 'Slice':
        return this.#slice(defined(this.#value(node.object, scope)), node, scope);
      case 'Call':
        return this.#invoke(node.callee, this.#arguments(node.args, scope), scope);
    }
  }

  #logical(type: 'And' | 'Or', left: Expression, right: Expression, scope: Scope): Value {
    const value = this.#value(left, scope);
    return isTrue(value) === (type === 'And') ? this.#value(right, scope) : value;
  }

  #compare(node: CompareNode, scope: Scope): Value {
    let left = this.#value(node.first, scope);
    for (const { operator, operand } of node.rest) {
      const right = this.#value(operand, scope);
      if (!isTrue(binary(operator, left, right))) return false;
      left = right;
    }
    return true;
  }

  #filters(text: Text, filters: readonly FilterCall[], scope: Scope): Value {
    return filters.reduce((value: Value, filter) => this.#filter(value, filter, scope), text);
  }

  #filter(value: Value, { name, args }: FilterCall, scope: Scope): Value {
    return bounded(filterNamed(name)(value, this.#arguments(args, scope)));
  }

  #invoke(callee: Expression, args: Arguments, scope: Scope): Value {
    const value = this.#value(callee, scope);
    if (value instanceof Callable) return bounded(value.call(args));
    if (value instanceof Loop) return bounded(value.recurse(args));
    throw new TemplateError(value instanceof Undefined ? value.what : `'${typeName(value)}' object is not callable`);
  }

  #arguments(nodes: readonly Argument[], scope: Scope): Arguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const { kind, name, value } of nodes) {
      const given = this.#value(value, scope);
      if (kind === 'positional') positional.push(given);
      else if (kind === 'named') named.set(name, given);
      else if (kind === 'spread') positional.push(...iterate(given));
      else if (given instanceof Dict)
        for (const entry of given.entries.values()) named.set(toText(entry.key).value, entry.value);
      else throw new TemplateError('argument after ** must be a mapping');
    }
    return { positional, named };
  }

  #slice(object: Value, node: SliceNode, scope: Scope): Value {
    const bound = (part: Expression | null) => {
      const value = part === null ? null : this.#value(part, scope);
      return value === null ? null : toInteger(value, 'a slice index');
    };
    const [start, stop, step] = [bound(node.start), bound(node.stop), bound(node.step) ?? 1];
    if (object instanceof Text) return Text.concat(sliceOf(characters(object), start, stop, step));
    if (object instanceof List) return new List(sliceOf(object.items, start, stop, step), object.isTuple);
    throw new TemplateError(`'${typeName(object)}' object cannot be sliced`);
  }
}

function defined(value: Value): Value {
  if (value instanceof Undefined) throw new TemplateError(value.what);
  return value;
}

function unpack(value: Value): Value[] {
  if (value instanceof Undefined) throw new TemplateError(value.what);
  return iterate(value);
}

/** Python's slice of any sequence. */
function sliceOf<T>(items: readonly T[], start: number | null, stop: number | null, step: number): T[] {
  if (step === 0) throw new TemplateError('slice step cannot be zero');
  const { length } = items;
  const [lowest, highest] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (index: number) => Math.min(Math.max(index < 0 ? index + length : index, lowest), highest);
  const first = start === null ? (step > 0 ? lowest : highest) : clamp(start);
  const end = stop === null ? (step > 0 ? highest : lowest) : clamp(stop);
  const result: T[] = [];
  for (let index = first; step > 0 ? index < end : index > end; index += step) result.push(items[index]!);
  return result;
}
