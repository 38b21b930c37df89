export * from './pipeline.ts';
export * from './errors.ts';
export type * from './types.ts';
export { isObject, parse, paramOf, show } from './schema.ts';
export { stopStrings } from './generation-fields.ts';
export * from './chat/request.ts';
export * from './completions/request.ts';
export * from './responses/request.ts';
export * from './tokens.ts';
