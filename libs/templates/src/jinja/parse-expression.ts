// The inside of one tag: Jinja2's expressions, targets and parameters, in its order of operators.

import type { Argument, Expression, FilterCall, Parameter, Target } from './nodes.ts';
import type { TagTokens, Token } from './scan.ts';

export interface TupleForm {
  /** `a if b` may follow; not after `in` of a loop, where `if` begins its test. */
  readonly withCondition?: boolean;
  /** Words that end it, as a closing bracket does. */
  readonly endWords?: readonly string[];
  readonly isBracketed?: boolean;
}

const constants = new Map<string, boolean | null>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** After a test's name these go on with the expression; anything else that can start an operand is its argument. */
const afterTest = new Set(['else', 'or', 'and', 'if', 'in', 'not', 'is', 'recursive']);

export class ExpressionParser {
  readonly line: number;
  readonly #tokens: readonly Token[];
  #at = 0;
  /** What `word` last read. */
  lastWord = '';

  constructor({ tokens, line }: TagTokens) {
    this.#tokens = tokens;
    this.line = line;
  }

  // The cursor

  get isAtEnd(): boolean {
    return this.#at >= this.#tokens.length;
  }

  fail(message: string): never {
    throw new SyntaxError(`line ${this.line}: ${message}`);
  }

  /** Whether the next token is this sign. */
  is(sign: string): boolean {
    const token = this.#tokens[this.#at];
    return token !== undefined && isSign(token) && token.value === sign;
  }

  skip(sign: string): boolean {
    const found = this.is(sign);
    if (found) this.#at += 1;
    return found;
  }

  expect(sign: string): void {
    if (!this.skip(sign)) this.fail(`expected '${sign}', got ${this.#next()}`);
  }

  isWord(word: string, ahead = 0): boolean {
    const token = this.#tokens[this.#at + ahead];
    return token?.type === 'Identifier' && token.value === word;
  }

  skipWord(word: string): boolean {
    const found = this.isWord(word);
    if (found) this.#at += 1;
    return found;
  }

  expectWord(word: string): void {
    if (!this.skipWord(word)) this.fail(`expected '${word}', got ${this.#next()}`);
  }

  /** A name, called `what` where there is none. */
  word(what: string): string {
    const token = this.#tokens[this.#at];
    if (token?.type !== 'Identifier') return this.fail(`expected ${what}, got ${this.#next()}`);
    this.#at += 1;
    this.lastWord = token.value;
    return token.value;
  }

  end(): void {
    if (!this.isAtEnd) this.fail(`expected the end of the tag, got ${this.#next()}`);
  }

  /** What is left of the tag, as text. */
  rest(): string {
    const text = this.#tokens.slice(this.#at).map(({ value }) => value);
    this.#at = this.#tokens.length;
    return text.join(' ');
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) return 'the end of the tag';
    return token.type === 'StringLiteral' ? 'a string' : `'${token.value}'`;
  }

  // Lists of things

  wholeTuple(): Expression {
    const value = this.tuple();
    this.end();
    return value;
  }

  /** Expressions with commas between them, to the tag's end. */
  list(): Expression[] {
    const items = [this.expression()];
    while (this.skip(',')) items.push(this.expression());
    this.end();
    return items;
  }

  /** One expression, or several with commas between them. */
  tuple({ withCondition = true, endWords = [], isBracketed = false }: TupleForm = {}): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    const isOver = () => this.isAtEnd || this.is(')') || endWords.some((word) => this.isWord(word));
    while (!isOver()) {
      items.push(withCondition ? this.expression() : this.#or());
      if (!this.skip(',')) break;
      isTuple = true;
    }
    if (isTuple || (items.length === 0 && isBracketed)) return { type: 'Tuple', items };
    return items[0] ?? this.fail(`expected an expression, got ${this.#next()}`);
  }

  target(endWords: readonly string[], { isSingle = false } = {}): Target {
    const parts: Target[] = [];
    let isTuple = false;
    const isOver = () => this.isAtEnd || this.is('=') || this.is(')') || endWords.some((word) => this.isWord(word));
    while (!isOver()) {
      parts.push(this.#singleTarget());
      if (isSingle || !this.skip(',')) break;
      isTuple = true;
    }
    if (isTuple) return { type: 'TupleTarget', parts };
    return parts[0] ?? this.fail(`expected a name, got ${this.#next()}`);
  }

  #singleTarget(): Target {
    if (this.skip('(')) {
      const inner = this.target([]);
      this.expect(')');
      return inner;
    }
    const name = this.word('a name');
    if (constants.has(name)) this.fail(`cannot assign to '${name}'`);
    return this.skip('.')
      ? { type: 'NamespaceTarget', name, attribute: this.word('an attribute') }
      : { type: 'Name', name };
  }

  parameters(): Parameter[] {
    const parameters: Parameter[] = [];
    this.expect('(');
    while (!this.skip(')')) {
      if (parameters.length > 0) {
        this.expect(',');
        if (this.skip(')')) break;
      }
      const name = this.word('a parameter');
      const otherwise = this.skip('=') ? this.expression() : null;
      if (parameters.some((other) => other.name === name)) this.fail(`parameter '${name}' is named twice`);
      if (otherwise === null && parameters.at(-1)?.otherwise)
        this.fail('non-default argument follows default argument');
      parameters.push({ name, otherwise });
    }
    return parameters;
  }

  #arguments(): Argument[] {
    const args: Argument[] = [];
    this.expect('(');
    while (!this.skip(')')) {
      if (args.length > 0) {
        this.expect(',');
        if (this.skip(')')) break;
      }
      const last = args.at(-1)?.kind ?? 'positional';
      const argument = this.#argument();
      const order = ['positional', 'spread', 'named', 'named-spread'];
      const isMisplaced =
        argument.kind === 'positional' ? last !== 'positional' : order.indexOf(argument.kind) < order.indexOf(last);
      if (isMisplaced || last === 'named-spread') this.fail('invalid order of arguments in a call');
      args.push(argument);
    }
    return args;
  }

  #argument(): Argument {
    if (this.skip('*')) return { kind: 'spread', name: '', value: this.expression() };
    if (this.skip('**')) return { kind: 'named-spread', name: '', value: this.expression() };
    const [name, equals] = [this.#tokens[this.#at], this.#tokens[this.#at + 1]];
    if (name?.type !== 'Identifier' || equals?.type !== 'Equals') {
      return { kind: 'positional', name: '', value: this.expression() };
    }
    this.#at += 2;
    return { kind: 'named', name: name.value, value: this.expression() };
  }

  /** `upper|indent(2)`: names of filters, without what they are applied to. */
  filters(): FilterCall[] {
    const filters = [this.#filter()];
    while (this.skip('|')) filters.push(this.#filter());
    return filters;
  }

  #filter(): FilterCall {
    return { name: this.#dottedName('the name of a filter'), args: this.is('(') ? this.#arguments() : [] };
  }

  #dottedName(what: string): string {
    let name = this.word(what);
    while (this.skip('.')) name += `.${this.word(what)}`;
    return name;
  }

  // Operators, the loosest first

  expression(): Expression {
    let value = this.#or();
    while (this.skipWord('if')) {
      const test = this.#or();
      value = { type: 'Condition', test, value, otherwise: this.skipWord('else') ? this.expression() : null };
    }
    return value;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.skipWord('or')) left = { type: 'Or', left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.skipWord('and')) left = { type: 'And', left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    return this.skipWord('not') ? { type: 'Not', operand: this.#not() } : this.#compare();
  }

  #compare(): Expression {
    const first = this.#sum();
    const rest: { operator: string; operand: Expression }[] = [];
    for (let operator = this.#comparison(); operator !== null; operator = this.#comparison()) {
      rest.push({ operator, operand: this.#sum() });
    }
    return rest.length === 0 ? first : { type: 'Compare', first, rest };
  }

  #comparison(): string | null {
    const token = this.#tokens[this.#at];
    if (token?.type === 'ComparisonBinaryOperator' && comparisons.has(token.value)) {
      this.#at += 1;
      return token.value;
    }
    if (this.skipWord('in')) return 'in';
    if (!this.isWord('not') || !this.isWord('in', 1)) return null;
    this.#at += 2;
    return 'not in';
  }

  #sum(): Expression {
    return this.#leftToRight(['+', '-'], () => this.#concatenation());
  }

  #concatenation(): Expression {
    return this.#leftToRight(['~'], () => this.#product());
  }

  #product(): Expression {
    return this.#leftToRight(['*', '/', '//', '%'], () => this.#power());
  }

  /** From the left too, unlike Python's. */
  #power(): Expression {
    return this.#leftToRight(['**'], () => this.#unary(true));
  }

  #leftToRight(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = operators.find((each) => this.skip(each));
      if (operator === undefined) return left;
      left = { type: 'Binary', operator, left, right: operand() };
    }
  }

  /** A sign binds tighter than a filter: `-1|abs` is 1. */
  #unary(withFilters: boolean): Expression {
    const operand = this.skip('-')
      ? ({ type: 'Negative', operand: this.#unary(false) } as const)
      : this.skip('+')
        ? ({ type: 'Positive', operand: this.#unary(false) } as const)
        : this.#primary();
    const value = this.#postfix(operand);
    return withFilters ? this.#filtersAndTests(value) : value;
  }

  #postfix(operand: Expression): Expression {
    let value = operand;
    for (;;) {
      if (this.skip('.')) value = this.#attribute(value);
      else if (this.skip('[')) value = this.#subscript(value);
      else if (this.is('(')) value = { type: 'Call', callee: value, args: this.#arguments() };
      else return value;
    }
  }

  #attribute(object: Expression): Expression {
    const token = this.#tokens[this.#at];
    if (token?.type === 'NumericLiteral' && /^\d+$/.test(token.value)) {
      this.#at += 1;
      return { type: 'Item', object, key: { type: 'Constant', value: BigInt(token.value) } };
    }
    return { type: 'Attribute', object, name: this.word('the name of an attribute') };
  }

  #subscript(object: Expression): Expression {
    const keys: Expression[] = [];
    while (!this.skip(']')) {
      if (keys.length > 0) this.expect(',');
      const start = this.is(':') ? null : this.expression();
      if (this.skip(':')) {
        const isOver = () => this.is(':') || this.is(']') || this.is(',');
        const stop = isOver() ? null : this.expression();
        const step = this.skip(':') && !isOver() ? this.expression() : null;
        this.expect(']');
        if (keys.length > 0) this.fail('a slice among several keys is not supported');
        return { type: 'Slice', object, start, stop, step };
      }
      keys.push(start!);
    }
    if (keys.length === 0) this.fail('expected a key between [ and ]');
    return { type: 'Item', object, key: keys.length === 1 ? keys[0]! : { type: 'Tuple', items: keys } };
  }

  #filtersAndTests(operand: Expression): Expression {
    let value = operand;
    for (;;) {
      if (this.skip('|')) value = { type: 'Filter', operand: value, filter: this.#filter() };
      else if (this.skipWord('is')) value = this.#test(value);
      else if (this.is('(')) value = { type: 'Call', callee: value, args: this.#arguments() };
      else return value;
    }
  }

  #test(operand: Expression): Expression {
    const isNegated = this.skipWord('not');
    const name = this.#dottedName('the name of a test');
    return { type: 'Test', operand, name, args: this.#testArguments(), isNegated };
  }

  #testArguments(): Argument[] {
    if (this.is('(')) return this.#arguments();
    const token = this.#tokens[this.#at];
    const isArgument =
      token !== undefined &&
      (token.type === 'Identifier'
        ? !afterTest.has(token.value)
        : token.type === 'StringLiteral' || token.type === 'NumericLiteral' || this.is('[') || this.is('{'));
    return isArgument ? [{ kind: 'positional', name: '', value: this.#postfix(this.#primary()) }] : [];
  }

  #primary(): Expression {
    const token = this.#tokens[this.#at];
    if (token === undefined) return this.fail('expected an expression, got the end of the tag');
    this.#at += 1;
    if (token.type === 'Identifier') {
      const constant = constants.get(token.value);
      return constant === undefined ? { type: 'Name', name: token.value } : { type: 'Constant', value: constant };
    }
    if (token.type === 'NumericLiteral') return { type: 'Constant', value: numberOf(token.value) };
    if (token.type === 'StringLiteral') return { type: 'Text', text: token.value + this.#moreText() };
    if (isSign(token)) {
      if (token.value === '(') {
        const value = this.tuple({ isBracketed: true });
        this.expect(')');
        return value;
      }
      if (token.value === '[') return { type: 'List', items: this.#items(']', () => this.expression()) };
      if (token.value === '{') return { type: 'Dict', entries: this.#items('}', () => this.#entry()) };
    }
    this.#at -= 1;
    return this.fail(`expected an expression, got ${this.#next()}`);
  }

  /** Strings side by side are one. */
  #moreText(): string {
    let text = '';
    for (; this.#tokens[this.#at]?.type === 'StringLiteral'; this.#at += 1) text += this.#tokens[this.#at]!.value;
    return text;
  }

  #items<T>(closer: string, read: () => T): T[] {
    const items: T[] = [];
    while (!this.skip(closer)) {
      if (items.length > 0) {
        this.expect(',');
        if (this.skip(closer)) break;
      }
      items.push(read());
    }
    return items;
  }

  #entry(): { key: Expression; value: Expression } {
    const key = this.expression();
    this.expect(':');
    return { key, value: this.expression() };
  }
}

function isSign({ type }: Token): boolean {
  return type !== 'Identifier' && type !== 'StringLiteral' && type !== 'NumericLiteral';
}

function numberOf(text: string): bigint | number {
  if (text.includes('.')) return Number(text);
  const digits = BigInt(text.replace(/^[-+]/, ''));
  return text.startsWith('-') ? -digits : digits;
}
