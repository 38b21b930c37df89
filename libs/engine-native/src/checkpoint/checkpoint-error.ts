/** A checkpoint that cannot be loaded: names the file, what is wrong there, the value, and what would work. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}
