// A server over scripted replies: no weights, no addon.

export { ScriptedEngine, type Script, type ScriptedEngineOptions, type ScriptedToken } from './scripted-engine.ts';
export { scriptedTemplate } from './scripted-template.ts';
