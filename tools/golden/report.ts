// One line a case: its name; `ok`, what differs first or why it was skipped; and the largest error seen.

import { UnsupportedArchitectureError } from '../../libs/engine-native/src/checkpoint/checkpoint-error.ts';

export interface CaseResult {
  readonly name: string;
  /** null: ok. */
  readonly problem: string | null;
  /** e.g. `largest error 1.2e-5`; '' says nothing. */
  readonly detail: string;
}

export class Report {
  private numOk = 0;
  private numDiffering = 0;
  private numSkipped = 0;
  private numRefused = 0;

  add(result: CaseResult): void {
    if (result.problem === null) this.numOk += 1;
    else this.numDiffering += 1;
    const detail = result.detail === '' ? '' : `  ${result.detail}`;
    console.log(`${result.name}: ${result.problem?.split('\n')[0] ?? 'ok'}${detail}`);
  }

  /** A case that our code makes no claim about. */
  skip(name: string, why: string): void {
    this.numSkipped += 1;
    console.log(`${name}: skipped: ${why}`);
  }

  /** A path that holds nothing to compare with. */
  refuse(path: string, problem: string): void {
    this.numRefused += 1;
    console.error(`${path}: ${problem}`);
  }

  /**
   * Runs one case; an exception is its problem, but a checkpoint of another architecture is skipped. `run` returns the
   * detail, or throws `Difference`.
   */
  run(name: string, run: () => string): void {
    this.attempt(name, () => {
      const detail = run();
      this.add({ name, problem: null, detail });
    });
  }

  /** A case that makes what later ones need; null where it could not. */
  make<T>(name: string, make: () => T): T | null {
    return this.attempt(name, () => {
      const made = make();
      this.add({ name, problem: null, detail: '' });
      return made;
    });
  }

  /** Prints the counts. Returns the exit status: 1 a case differs or none ran, 2 a path was refused, else 0. */
  end(): number {
    const numRun = this.numOk + this.numDiffering;
    console.log(`${this.numOk} ok, ${this.numDiffering} differ, ${this.numSkipped} skipped`);
    if (this.numDiffering > 0) return 1;
    if (this.numRefused > 0) return 2;
    if (numRun > 0) return 0;
    console.error('no case ran');
    return 1;
  }

  private attempt<T>(name: string, run: () => T): T | null {
    try {
      return run();
    } catch (error) {
      if (error instanceof UnsupportedArchitectureError) {
        this.skip(name, `architecture ${error.architecture} is not supported yet`);
        return null;
      }
      const detail = error instanceof Difference ? error.detail : '';
      this.add({ name, problem: (error as Error).message, detail });
      return null;
    }
  }
}

/** What differs first. */
export class Difference extends Error {
  readonly detail: string;

  constructor(message: string, detail = '') {
    super(message);
    this.detail = detail;
  }
}

/** Throws Difference where two JSON values are not the same, naming the first place in lists and texts. */
export function expectSame(what: string, ours: unknown, expected: unknown): void {
  const a = JSON.stringify(ours);
  const b = JSON.stringify(expected);
  if (a === b) return;
  if (Array.isArray(ours) && Array.isArray(expected)) {
    const at = expected.findIndex((value, i) => JSON.stringify(value) !== JSON.stringify(ours[i]));
    const index = at < 0 ? expected.length : at;
    const [mine, theirs] = [ours[index], expected[index]].map((value) => JSON.stringify(value) ?? 'the end');
    throw new Difference(`${what}: at ${index} ours is ${mine}, expected ${theirs}`);
  }
  if (typeof ours === 'string' && typeof expected === 'string') {
    let at = 0;
    while (ours[at] === expected[at]) at += 1;
    const around = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 20), at + 40));
    throw new Difference(`${what}: at ${at} ours is ${around(ours)}, expected ${around(expected)}`);
  }
  throw new Difference(`${what}: ours is ${short(a)}, expected ${short(b)}`);
}

function short(text: string | undefined): string {
  const given = text ?? 'nothing';
  return given.length > 120 ? `${given.slice(0, 120)}...` : given;
}
