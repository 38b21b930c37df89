export * from './engine.ts';
export type { EngineRequest } from './engine-request.ts';
export type * from './checkpoint/model-spec.ts';
export { loadCheckpoint, type Checkpoint } from './checkpoint/checkpoint.ts';
export { CheckpointError } from './checkpoint/checkpoint-error.ts';
export { tensorTypeName } from './checkpoint/tensor-types.ts';
export { type KvDtype, pageBytesOf } from './kv-dtype.ts';
export { faults, type Fault } from './scheduler/scheduler.ts';
export * from './verify.ts';
