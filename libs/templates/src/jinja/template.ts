// A parsed Jinja template: @huggingface/jinja's lexer (inside tags) and parser, and our own evaluation (docs/decisions).

import { parse } from '@huggingface/jinja';
import { evaluate } from './evaluate.ts';
import { standardGlobals } from './globals.ts';
import type { Program } from './nodes.ts';
import { scanTemplate } from './scan.ts';
import type { Text } from './text.ts';
import type { Value } from './values.ts';

/** Some seconds of work; the largest real templates take some hundred steps a message. */
const defaultMaxSteps = 5_000_000;

export class JinjaTemplate {
  readonly #program: Program;

  /** Throws a plain Error where the source is no template. */
  constructor(source: string) {
    this.#program = parse(scanTemplate(source)) as unknown as Program;
  }

  /** TemplateError where the template refuses `variables`. */
  render(variables: ReadonlyMap<string, Value>, now: Date, maxSteps = defaultMaxSteps): Text {
    return evaluate(this.#program, new Map([...standardGlobals(now), ...variables]), maxSteps);
  }
}
