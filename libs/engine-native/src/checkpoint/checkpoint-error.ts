/** A checkpoint that cannot be loaded: names the file, what is wrong there, the value, and what would work. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly path: string;

  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.path = path;
  }
}

/** A checkpoint, sound as far as it was read, of an architecture that has no graph here. */
export class UnsupportedArchitectureError extends CheckpointError {
  /** As the file says it; null where it says none that is a text. */
  readonly architecture: string | null;

  constructor(path: string, field: string, architecture: unknown, supported: readonly string[]) {
    const name = typeof architecture === 'string' ? architecture : null;
    super(path, `${field} ${JSON.stringify(name)} is not supported; supported: ${supported.join(', ')}`);
    this.architecture = name;
  }
}
