// @tensorfold/templates: messages to prompt pieces, reply to events.

export { loadTemplate } from './chat-template.ts';
export type * from './types.ts';
// For tools that check renderings: a template exactly as it is, without the server's rules about messages.
export { JinjaTemplate } from './jinja/template.ts';
export { renderTemplate, type TemplateInput } from './render.ts';
export { parseJson } from './json-text.ts';
export { Dict, List, type Value } from './jinja/values.ts';
