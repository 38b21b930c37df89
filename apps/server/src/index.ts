// The server, and its steps one by one for those that want a reply without HTTP.

export { buildApp, type App, type AppParts } from './app.ts';
export { defaultConfig, readApiKeys, resolveConfig, type ServerConfig } from './config.ts';
export { generate } from './generation/generate.ts';
export { planChat, planCompletion, type GenerationPlan } from './generation/plan.ts';
export { loadModel, serveEngine } from './models/load.ts';
export type { LoadedModel } from './models/registry.ts';
export { serve, type RunningServer, type ServeOptions } from './main.ts';
export { chatCompletion } from './wire/chat-completion.ts';
export { completion } from './wire/completion-chunks.ts';
export { replyHead } from './wire/head.ts';
