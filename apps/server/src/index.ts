export { buildApp, type App, type AppParts } from './app.ts';
export { defaultConfig, readApiKeys, resolveConfig, type ServerConfig } from './config.ts';
export { loadModel, serveEngine } from './models/load.ts';
export type { LoadedModel } from './models/registry.ts';
export { serve, type RunningServer, type ServeOptions } from './main.ts';
