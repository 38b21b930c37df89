export type * from './pipeline.ts';
