// Tokens to tree, by Jinja2's grammar and its order of operators. A SyntaxError says what was found, and in which line.

import { ExpressionParser } from './parse-expression.ts';
import type { Extras, Node, Parameter, Target } from './nodes.ts';
import type { TagTokens } from './scan.ts';

export function parseTemplate(parts: readonly (TagTokens | string)[]): readonly Node[] {
  return new Parser(parts).whole();
}

class Parser {
  readonly #parts: readonly (TagTokens | string)[];
  #at = 0;
  #numLoops = 0;
  readonly #blocks = new Set<string>();
  /** The tag that ended the last body. */
  #ending: ExpressionParser | null = null;

  constructor(parts: readonly (TagTokens | string)[]) {
    this.#parts = parts;
  }

  whole(): readonly Node[] {
    return this.#body(null, []);
  }

  /** The nodes up to a tag whose word is one of `endings`; that tag is left in `#ending`, its word read. */
  #body(opener: { name: string; line: number } | null, endings: readonly string[]): Node[] {
    const nodes: Node[] = [];
    for (; this.#at < this.#parts.length;) {
      const part = this.#parts[this.#at]!;
      this.#at += 1;
      if (typeof part === 'string') {
        nodes.push({ type: 'Data', text: part, line: 0 });
        continue;
      }
      const { line } = part;
      const inside = new ExpressionParser(part);
      if (part.kind === 'variable') {
        nodes.push({ type: 'Output', value: inside.wholeTuple(), line });
        continue;
      }
      const name = inside.word('the name of a tag');
      if (endings.includes(name)) {
        this.#ending = inside;
        return nodes;
      }
      const node = this.#statement(name, inside, line, endings);
      if (node !== null) nodes.push(...(Array.isArray(node) ? node : [node]));
    }
    if (opener !== null) {
      throw new SyntaxError(
        `line ${opener.line}: {% ${opener.name} %} is not closed, expected {% ${endings.at(-1)} %}`,
      );
    }
    return nodes;
  }

  /** A body that one tag ends. */
  #simpleBody(name: string, line: number): Node[] {
    const body = this.#body({ name, line }, [`end${name}`]);
    this.#ending!.end();
    return body;
  }

  #statement(name: string, inside: ExpressionParser, line: number, endings: readonly string[]): Node | Node[] | null {
    switch (name) {
      case 'if':
        return this.#if(inside, line);
      case 'for':
        return this.#for(inside, line);
      case 'set':
        return this.#set(inside, line);
      case 'with':
        return this.#with(inside, line);
      case 'macro':
        return this.#macro(inside, line);
      case 'call':
        return this.#call(inside, line);
      case 'filter': {
        const filters = inside.filters();
        inside.end();
        return { type: 'FilterBlock', filters, body: this.#simpleBody(name, line), line };
      }
      case 'block':
        return this.#block(inside, line);
      case 'autoescape':
        if (inside.rest() !== 'false') {
          inside.fail('only {% autoescape false %} is supported: a prompt is not HTML');
        }
        return { type: 'Block', isScoped: true, body: this.#simpleBody(name, line), line };
      case 'generation':
        // transformers marks the assistant's text for training; to a server the marks say nothing.
        inside.end();
        return { type: 'Block', isScoped: true, body: this.#outsideLoops(() => this.#simpleBody(name, line)), line };
      case 'print':
        return inside.list().map((value) => ({ type: 'Output', value, line }));
      case 'do':
        return { type: 'Do', value: inside.wholeTuple(), line };
      case 'break':
      case 'continue':
        inside.end();
        if (this.#numLoops === 0) inside.fail(`{% ${name} %} stands outside a loop`);
        return { type: name === 'break' ? 'Break' : 'Continue', line };
      case 'include':
      case 'import':
      case 'from':
      case 'extends':
        return inside.fail(`{% ${name} %} is not supported: a chat template has no other files`);
      default: {
        const expected =
          endings.length === 0 ? '' : `, expected ${endings.map((each) => `{% ${each} %}`).join(' or ')}`;
        return inside.fail(`unknown tag {% ${name} %}${expected}`);
      }
    }
  }

  #if(inside: ExpressionParser, line: number): Node {
    const test = inside.tuple({ withCondition: false });
    inside.end();
    const body = this.#body({ name: 'if', line }, ['elif', 'else', 'endif']);
    const ending = this.#ending!;
    if (ending.lastWord === 'elif') return { type: 'If', test, body, otherwise: [this.#if(ending, ending.line)], line };
    ending.end();
    const otherwise = ending.lastWord === 'else' ? this.#simpleBody('if', line) : [];
    return { type: 'If', test, body, otherwise, line };
  }

  #for(inside: ExpressionParser, line: number): Node {
    const target = inside.target(['in']);
    inside.expectWord('in');
    const iterable = inside.tuple({ withCondition: false, endWords: ['recursive'] });
    const test = inside.skipWord('if') ? inside.expression() : null;
    const isRecursive = inside.skipWord('recursive');
    inside.end();
    this.#numLoops += 1;
    const body = this.#body({ name: 'for', line }, ['else', 'endfor']);
    this.#numLoops -= 1;
    this.#ending!.end();
    const otherwise = this.#ending!.lastWord === 'else' ? this.#simpleBody('for', line) : [];
    return { type: 'For', target, iterable, test, isRecursive, body, otherwise, line };
  }

  #set(inside: ExpressionParser, line: number): Node {
    const target: Target = inside.target([]);
    if (inside.skip('=')) return { type: 'Set', target, value: inside.wholeTuple(), line };
    const filters = inside.skip('|') ? inside.filters() : [];
    inside.end();
    return { type: 'SetBlock', target, filters, body: this.#simpleBody('set', line), line };
  }

  #with(inside: ExpressionParser, line: number): Node {
    const names = [];
    while (!inside.isAtEnd) {
      if (names.length > 0) inside.expect(',');
      const target = inside.target(['in'], { isSingle: true });
      inside.expect('=');
      names.push({ target, value: inside.expression() });
    }
    return { type: 'With', names, body: this.#simpleBody('with', line), line };
  }

  #macro(inside: ExpressionParser, line: number): Node {
    const name = inside.word('the name of a macro');
    const parameters = inside.parameters();
    inside.end();
    return { type: 'Macro', name, parameters, ...this.#macroBody('macro', line), line };
  }

  #call(inside: ExpressionParser, line: number): Node {
    const parameters: readonly Parameter[] = inside.is('(') ? inside.parameters() : [];
    const call = inside.expression();
    if (call.type !== 'Call') return inside.fail('{% call %} needs a call, like {% call name() %}');
    inside.end();
    return { type: 'CallBlock', call, parameters, ...this.#macroBody('call', line), line };
  }

  #block(inside: ExpressionParser, line: number): Node {
    const name = inside.word('the name of a block');
    if (this.#blocks.has(name)) inside.fail(`block '${name}' is defined twice`);
    this.#blocks.add(name);
    const isScoped = inside.skipWord('scoped');
    if (inside.skipWord('required')) inside.fail('{% block ... required %} needs a template that extends this one');
    inside.end();
    const body = this.#outsideLoops(() => this.#body({ name: 'block', line }, ['endblock']));
    this.#ending!.skipWord(name);
    this.#ending!.end();
    return { type: 'Block', isScoped, body, line };
  }

  #macroBody(name: string, line: number): { body: Node[]; takes: Extras } {
    const start = this.#at;
    const body = this.#outsideLoops(() => this.#simpleBody(name, line));
    const tags = this.#parts.slice(start, this.#at).filter((part) => typeof part !== 'string');
    const words = tags.flatMap(({ tokens }) => tokens.map(({ value }) => value));
    return { body, takes: new Set(['varargs', 'kwargs', 'caller'].filter((extra) => words.includes(extra))) };
  }

  /** A body that a break cannot leave. */
  #outsideLoops(read: () => Node[]): Node[] {
    const numLoops = this.#numLoops;
    this.#numLoops = 0;
    const body = read();
    this.#numLoops = numLoops;
    return body;
  }
}
