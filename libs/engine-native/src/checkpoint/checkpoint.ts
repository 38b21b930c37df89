// Loads what a local path holds: a GGUF file (or the first of several), or a folder in Hugging Face's form.

import { existsSync, statSync } from 'node:fs';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { CheckpointError } from './checkpoint-error.ts';
import { loadGgufCheckpoint } from './load-gguf.ts';
import { loadHfCheckpoint } from './load-hf.ts';
import type { ModelSpec } from './model-spec.ts';

export interface Checkpoint {
  readonly spec: ModelSpec;
  /** null where the checkpoint has none. */
  readonly tokenizer: Tokenizer | null;
  /** Jinja text, or null. */
  readonly chatTemplate: string | null;
  /** Texts that templates are given: `bos_token`, `eos_token`, ... */
  readonly specialTokens: Readonly<Record<string, string>>;
}

/** Reads headers and configuration only. Throws CheckpointError that says what is wrong and what would work. */
export function loadCheckpoint(path: string): Checkpoint {
  if (!existsSync(path)) throw new CheckpointError(path, 'no such file or folder');
  return statSync(path).isDirectory() ? loadHfCheckpoint(path) : loadGgufCheckpoint(path);
}
