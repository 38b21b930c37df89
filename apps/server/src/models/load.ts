// A path becomes a served model: engine, template, id.

import type { EngineLike, EngineOptions } from '@tensorfold/engine-native';
import { loadTemplate } from '@tensorfold/templates';
import { idOfPath } from './card.ts';
import type { LoadedModel } from './registry.ts';

/** Loads a checkpoint. `aliases[0]`, where given, takes the place of the id made from the path. */
export async function loadModel(options: EngineOptions, aliases: readonly string[] = []): Promise<LoadedModel> {
  // Only here, so that a server of another engine loads no addon.
  const { loadEngine } = await import('@tensorfold/engine-native');
  return serveEngine(await loadEngine(options), idOfPath(options.model), aliases);
}

/** The served form of an engine that is already there. */
export function serveEngine(engine: EngineLike, id: string, aliases: readonly string[] = []): LoadedModel {
  const { chatTemplate, specialTokens } = engine.card;
  const template = loadTemplate({ source: chatTemplate, specialTokens, tokenId: (text) => engine.tokenId(text) });
  const [name = id, ...others] = aliases;
  return { id: name, aliases: others, engine, template, created: Math.floor(Date.now() / 1000) };
}
