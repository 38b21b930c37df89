export type * from './grammar.ts';
