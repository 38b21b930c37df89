// A parsed Jinja template: @huggingface/jinja's lexer inside tags, our own parser and evaluation (docs/decisions).

import { evaluate } from './evaluate.ts';
import { standardGlobals } from './globals.ts';
import type { Node } from './nodes.ts';
import { parseTemplate } from './parse.ts';
import { scanTemplate } from './scan.ts';
import type { Text } from './text.ts';
import type { Value } from './values.ts';

/** Some seconds of work; the largest real templates take some hundred steps a message. */
const defaultMaxSteps = 5_000_000;

export class JinjaTemplate {
  readonly #nodes: readonly Node[];

  /** SyntaxError, with the line, where the source is no template. */
  constructor(source: string) {
    this.#nodes = parseTemplate(scanTemplate(source));
  }

  /** TemplateError where the template refuses `variables`. */
  render(variables: ReadonlyMap<string, Value>, now: Date, maxSteps = defaultMaxSteps): Text {
    return evaluate(this.#nodes, new Map([...standardGlobals(now), ...variables]), maxSteps);
  }
}
