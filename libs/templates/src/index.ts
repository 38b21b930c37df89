// @tensorfold/templates: messages to prompt pieces, reply to events.

export { loadTemplate } from './chat-template.ts';
export type * from './types.ts';
