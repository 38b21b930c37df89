// Loads a model, listens, and leaves by a drain.

import type { AddressInfo } from 'node:net';
import type { EngineOptions } from '@tensorfold/engine-native';
import { buildApp } from './app.ts';
import type { ServerConfig } from './config.ts';
import { loadModel } from './models/load.ts';
import type { LoadedModel } from './models/registry.ts';

export interface ServeOptions {
  readonly engine: EngineOptions;
  readonly config: ServerConfig;
}

export interface RunningServer {
  readonly url: string;
  readonly model: LoadedModel;
  /** Drains, closes the engine, and resolves when both are done. */
  stop(): Promise<void>;
}

export async function serve({ engine, config }: ServeOptions): Promise<RunningServer> {
  const model = await loadModel(engine, config.aliases);
  const app = buildApp({ model, config });
  try {
    await app.http.listen({ host: config.host, port: config.port });
  } catch (error) {
    await model.engine.close();
    throw error;
  }
  const { port } = app.http.server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    model,
    async stop() {
      await app.drain();
      await model.engine.close();
    },
  };
}
