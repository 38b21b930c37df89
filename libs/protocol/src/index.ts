export * from './pipeline.ts';
export * from './errors.ts';
