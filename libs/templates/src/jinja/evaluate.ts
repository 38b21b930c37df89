// Runs a parsed template as Jinja2 would: Python's values and scopes, and every character known as template's or caller's.

import { filterNamed } from './filters.ts';
import { methodOf } from './methods.ts';
import type {
  BinaryNode,
  CallNode,
  Expression,
  ForNode,
  Identifier,
  MemberNode,
  Node,
  Parameter,
  Program,
  SliceNode,
  Statement,
} from './nodes.ts';
import { binary, bounded, maxCharacters, negate } from './operators.ts';
import { testNamed } from './tests.ts';
import { Text } from './text.ts';
import {
  type Arguments,
  Callable,
  characters,
  Dict,
  Group,
  isTrue,
  iterate,
  List,
  Loop,
  Namespace,
  or,
  TemplateError,
  toInteger,
  toText,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** Stopped by TemplateError after `maxSteps` nodes. */
export function evaluate(program: Program, globals: ReadonlyMap<string, Value>, maxSteps: number): Text {
  const root = new Scope(null);
  for (const [name, value] of globals) root.set(name, value);
  const output: Text[] = [];
  new Run(maxSteps).body(program.body, new Scope(root), output);
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

class Run {
  readonly #maxSteps: number;
  #steps = 0;
  #written = 0;

  constructor(maxSteps: number) {
    this.#maxSteps = maxSteps;
  }

  body(nodes: readonly Node[], scope: Scope, output: Text[]): Ending {
    for (const node of nodes) {
      const ending = this.#node(node, scope, output);
      if (ending !== 'end') return ending;
    }
    return 'end';
  }

  #node(node: Node, scope: Scope, output: Text[]): Ending {
    this.#count();
    switch (node.type) {
      case 'Comment':
        return 'end';
      case 'Break':
        return 'break';
      case 'Continue':
        return 'continue';
      case 'If':
        return this.body(isTrue(this.#value(node.test, scope)) ? node.body : node.alternate, scope, output);
      case 'For':
        this.#for(node, scope, output);
        return 'end';
      case 'Set':
        this.#set(node, scope);
        return 'end';
      case 'Macro':
        scope.set(node.name.value, this.#macro(node.name.value, node.args, node.body, scope));
        return 'end';
      case 'CallStatement':
        this.#write(this.#callBlock(node, scope), output);
        return 'end';
      case 'FilterStatement':
        this.#write(this.#filter(this.#capture(node.body, scope), node.filter, scope), output);
        return 'end';
      default:
        this.#write(this.#value(node, scope), output);
        return 'end';
    }
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
    const select = node.iterable.type === 'SelectExpression' ? node.iterable : null;
    const iterable = this.#value(select === null ? node.iterable : select.lhs, scope);
    const items = iterate(iterable).filter((item) => {
      if (select === null) return true;
      const inner = new Scope(scope);
      this.#bind(node.loopvar, item, inner);
      return isTrue(this.#value(select.test, inner));
    });
    if (items.length === 0) {
      this.body(node.defaultBlock, new Scope(scope), output);
      return;
    }
    const outer = scope.get('loop');
    const depth = outer instanceof Loop ? outer.depth + 1 : 1;
    const memory = { asked: null };
    for (const [index, item] of items.entries()) {
      this.#count();
      // Each turn starts afresh: what an earlier one set is gone.
      const inner = new Scope(scope);
      inner.set('loop', new Loop(items, index, depth, memory));
      this.#bind(node.loopvar, item, inner);
      if (this.body(node.body, inner, output) === 'break') return;
    }
  }

  #bind(target: Expression, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') {
      scope.set(target.value, value);
    } else if (target.type === 'TupleLiteral') {
      const parts = iterate(value);
      if (parts.length !== target.value.length) {
        throw new TemplateError(`cannot unpack ${parts.length} values into ${target.value.length} names`);
      }
      target.value.forEach((part, index) => this.#bind(part, parts[index]!, scope));
    } else if (target.type === 'MemberExpression' && !target.computed && target.property.type === 'Identifier') {
      const object = this.#value(target.object, scope);
      if (!(object instanceof Namespace)) throw new TemplateError('cannot assign attribute on non-namespace object');
      object.attributes.set(target.property.value, value);
    } else {
      throw new TemplateError(`cannot assign to ${target.type}`);
    }
  }

  #set(node: Extract<Statement, { type: 'Set' }>, scope: Scope): void {
    if (node.value !== null) {
      this.#bind(node.assignee, this.#value(node.value, scope), scope);
      return;
    }
    // `{% set x|upper %}...{% endset %}`: the block's text through the filters.
    const apply = (target: Expression, text: Value): void => {
      if (target.type !== 'FilterExpression') return this.#bind(target, text, scope);
      const filters = [target.filter];
      let inner = target.operand;
      for (; inner.type === 'FilterExpression'; inner = inner.operand) filters.unshift(inner.filter);
      this.#bind(
        inner,
        filters.reduce((value, filter) => this.#filter(value, filter, scope), text),
        scope,
      );
    };
    apply(node.assignee, this.#capture(node.body, scope));
  }

  #macro(name: string, parameters: readonly Parameter[], body: readonly Node[], scope: Scope): Callable {
    return new Callable(name, (args) => {
      const inner = new Scope(scope);
      this.#bindParameters(name, parameters, args, inner);
      return this.#capture(body, inner);
    });
  }

  #bindParameters(name: string, parameters: readonly Parameter[], args: Arguments, scope: Scope): void {
    const named = new Map(args.named);
    for (const [index, parameter] of parameters.entries()) {
      const key = parameter.type === 'Identifier' ? parameter.value : parameter.key.value;
      const given = index < args.positional.length ? args.positional[index] : named.get(key);
      named.delete(key);
      const otherwise = () =>
        parameter.type === 'Identifier'
          ? new Undefined(`parameter '${key}' was not provided`)
          : this.#value(parameter.value, scope);
      scope.set(key, given === undefined ? otherwise() : given);
    }
    const caller = named.get('caller');
    named.delete('caller');
    if (caller !== undefined) scope.set('caller', caller);
    scope.set('varargs', new List(args.positional.slice(parameters.length), true));
    scope.set('kwargs', new Dict([...named].map(([key, value]) => ({ key: Text.template(key), value }))));
    if (args.positional.length > parameters.length) {
      throw new TemplateError(`macro '${name}' takes not more than ${parameters.length} argument(s)`);
    }
  }

  #callBlock(node: Extract<Statement, { type: 'CallStatement' }>, scope: Scope): Value {
    const caller = this.#macro('caller', node.callerArgs ?? [], node.body, scope);
    const args = this.#arguments(node.call.args, scope);
    return this.#invoke(node.call.callee, { ...args, named: new Map([...args.named, ['caller', caller]]) }, scope);
  }

  #value(node: Expression, scope: Scope): Value {
    this.#count();
    switch (node.type) {
      case 'Identifier':
        return or(scope.get(node.value), new Undefined(`'${node.value}' is undefined`));
      case 'StringLiteral':
        return Text.template(node.value);
      case 'IntegerLiteral':
        return BigInt(node.value);
      case 'FloatLiteral':
        return node.value;
      case 'ArrayLiteral':
        return new List(node.value.map((item) => this.#value(item, scope)));
      case 'TupleLiteral':
        return new List(
          node.value.map((item) => this.#value(item, scope)),
          true,
        );
      case 'ObjectLiteral':
        return new Dict(
          [...node.value].map(([key, value]) => ({ key: this.#value(key, scope), value: this.#value(value, scope) })),
        );
      case 'BinaryExpression':
        return this.#binary(node, scope);
      case 'UnaryExpression':
        return this.#unary(node.operator.value, this.#value(node.argument, scope));
      case 'Ternary':
        return this.#value(isTrue(this.#value(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
      case 'SelectExpression':
        if (isTrue(this.#value(node.test, scope))) return this.#value(node.lhs, scope);
        return new Undefined('the inline if-expression evaluated to false and no else section was defined');
      case 'TestExpression':
        return testNamed(node.test.value)(this.#value(node.operand, scope), null) !== node.negate;
      case 'FilterExpression':
        return this.#filter(this.#value(node.operand, scope), node.filter, scope);
      case 'MemberExpression':
        return this.#member(node, scope);
      case 'CallExpression':
        return this.#call(node, scope);
      default:
        throw new TemplateError(`${node.type} cannot stand here`);
    }
  }

  #binary(node: BinaryNode, scope: Scope): Value {
    const left = this.#value(node.left, scope);
    if (node.operator.value === 'and') return isTrue(left) ? this.#value(node.right, scope) : left;
    if (node.operator.value === 'or') return isTrue(left) ? left : this.#value(node.right, scope);
    return binary(node.operator.value, left, this.#value(node.right, scope));
  }

  #unary(operator: string, value: Value): Value {
    if (operator === 'not') return !isTrue(value);
    return operator === '-' ? negate(value) : negate(negate(value));
  }

  /** A filter; or, under a name with a blank, a test with an argument (scan.ts). */
  #filter(value: Value, node: Identifier | CallNode, scope: Scope): Value {
    const name = node.type === 'Identifier' ? node.value : (node.callee as Identifier).value;
    const args = this.#arguments(node.type === 'Identifier' ? [] : node.args, scope);
    const test = /^is (not )?(.+)$/.exec(name);
    if (test === null) return bounded(filterNamed(name)(value, args));
    return testNamed(test[2]!)(value, args.positional[0] ?? null) !== (test[1] !== undefined);
  }

  #call(node: CallNode, scope: Scope): Value {
    return this.#invoke(node.callee, this.#arguments(node.args, scope), scope);
  }

  #invoke(callee: Expression, args: Arguments, scope: Scope): Value {
    const value = this.#value(callee, scope);
    if (value instanceof Callable) return bounded(value.call(args));
    throw new TemplateError(value instanceof Undefined ? value.what : `'${typeName(value)}' object is not callable`);
  }

  #arguments(nodes: readonly Expression[], scope: Scope): Arguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of nodes) {
      if (node.type === 'KeywordArgumentExpression') {
        named.set(node.key.value, this.#value(node.value, scope));
      } else if (node.type === 'SpreadExpression') {
        positional.push(...iterate(this.#value(node.argument, scope)));
      } else if (node.type === 'KeywordSpreadExpression') {
        const dict = this.#value(node.argument, scope);
        if (!(dict instanceof Dict)) throw new TemplateError('argument after ** must be a mapping');
        for (const { key, value } of dict.entries.values()) named.set(toText(key).value, value);
      } else {
        positional.push(this.#value(node, scope));
      }
    }
    return { positional, named };
  }

  #member(node: MemberNode, scope: Scope): Value {
    const object = this.#value(node.object, scope);
    if (object instanceof Undefined) throw new TemplateError(object.what);
    if (node.property.type === 'SliceExpression') return this.#slice(object, node.property, scope);
    if (!node.computed && node.property.type === 'Identifier') return attribute(object, node.property.value);
    return item(object, this.#value(node.property, scope));
  }

  #slice(object: Value, node: SliceNode, scope: Scope): Value {
    const bound = (part: Expression | undefined) => {
      const value = part === undefined ? null : this.#value(part, scope);
      return value === null ? null : toInteger(value, 'a slice index');
    };
    const [start, stop, step] = [bound(node.start), bound(node.stop), bound(node.step) ?? 1];
    if (object instanceof Text) return Text.concat(sliceOf(characters(object), start, stop, step));
    if (object instanceof List) return new List(sliceOf(object.items, start, stop, step), object.isTuple);
    throw new TemplateError(`'${typeName(object)}' object cannot be sliced`);
  }
}

/** `object.name`: what Python's getattr finds, else the item. */
function attribute(object: Value, name: string): Value {
  if (object instanceof Namespace) return or(object.attributes.get(name), missing(object, name));
  if (object instanceof Loop) return or(object.attribute(name), missing(object, name));
  const part = object instanceof Group ? object.attribute(name) : undefined;
  if (part !== undefined) return part;
  const method = methodOf(object, name);
  if (method !== undefined) return method;
  return or(object instanceof Dict ? object.getText(name) : undefined, missing(object, name));
}

/** `object[key]`: the item, else, for a text key, what getattr finds. */
function item(object: Value, key: Value): Value {
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
