// From the MODEL argument to a checkpoint on disk, and the engine's options.

import { existsSync } from 'node:fs';
import type { EngineOptions } from '@tensorfold/engine-native';
import type { EngineFlags } from './flags.ts';
import { CliError, exitCodes } from './output.ts';

/** A path as given. Exit 4 where there is nothing. */
export function requireModel(model: string): string {
  if (existsSync(model)) return model;
  throw new CliError(
    `${model}: no such file or folder; give the path of a GGUF file or of a Hugging Face folder`,
    exitCodes.notFound,
  );
}

export function engineOptions(model: string, flags: EngineFlags): EngineOptions {
  return {
    model: requireModel(model),
    ...(flags.threads === undefined ? {} : { threads: flags.threads }),
    ...(flags.context === undefined ? {} : { contextTokens: flags.context }),
    ...(flags.parallel === undefined ? {} : { lanes: flags.parallel }),
    ...(flags.kernel === undefined ? {} : { kernel: flags.kernel }),
    ...(flags.decodeShare === undefined ? {} : { decodeShare: flags.decodeShare }),
  };
}
