// One line a case: its name, `ok` or what differs first, and the largest error seen.

export interface CaseResult {
  readonly name: string;
  /** null: ok. */
  readonly problem: string | null;
  /** e.g. `largest error 1.2e-5`; '' says nothing. */
  readonly detail: string;
}

export class Report {
  numFailed = 0;
  private numCases = 0;

  add(result: CaseResult): void {
    this.numCases += 1;
    if (result.problem !== null) this.numFailed += 1;
    const detail = result.detail === '' ? '' : `  ${result.detail}`;
    console.log(`${result.name}: ${result.problem?.split('\n')[0] ?? 'ok'}${detail}`);
  }

  /** Runs one case; an exception is its problem. `run` returns the detail, or throws `Difference`. */
  run(name: string, run: () => string): void {
    try {
      this.add({ name, problem: null, detail: run() });
    } catch (error) {
      const detail = error instanceof Difference ? error.detail : '';
      this.add({ name, problem: (error as Error).message, detail });
    }
  }

  end(): void {
    console.log(`${this.numCases} cases, ${this.numFailed} differ`);
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
