// From the MODEL argument to a checkpoint on disk, and the engine's options.

import { existsSync } from 'node:fs';
import type { EngineOptions } from '@tensorfold/engine-native';
import { embeddedHint, embeddedName, embeddedPath } from './embedded-model.ts';
import { askedKvDtype, type EngineFlags } from './flags.ts';
import { CliError, exitCodes, note } from './output.ts';

/** The model as given; where none is, the embedded one, which is said in one line. */
export function modelOrEmbedded(model: string | undefined, isQuiet: boolean): string {
  if (model !== undefined) return model;
  if (!isQuiet) note(embeddedHint);
  return embeddedName;
}

/** A path as given, or the embedded model's by its name. Exit 4 where there is nothing. */
export function requireModel(model: string): string {
  if (existsSync(model)) return model;
  if (model === embeddedName) {
    const path = embeddedPath();
    if (path !== null) return path;
    throw new CliError('the embedded model is not in this installation; give the path of a model', exitCodes.notFound);
  }
  throw new CliError(
    `${model}: no such file or folder; give the path of a GGUF file or of a Hugging Face folder`,
    exitCodes.notFound,
  );
}

export function engineOptions(model: string, flags: EngineFlags): EngineOptions {
  const kvDtype = askedKvDtype(flags);
  return {
    model: requireModel(model),
    ...(flags.threads === undefined ? {} : { threads: flags.threads }),
    ...(flags.context === undefined ? {} : { contextTokens: flags.context }),
    ...(flags.parallel === undefined ? {} : { lanes: flags.parallel }),
    ...(flags.kernel === undefined ? {} : { kernel: flags.kernel }),
    ...(flags.decodeShare === undefined ? {} : { decodeShare: flags.decodeShare }),
    ...(kvDtype === undefined ? {} : { kvDtype }),
    ...(flags.drafter === undefined ? {} : { drafter: requireModel(flags.drafter) }),
  };
}
