// @tensorfold/client: a typed client of the server, on web standards alone.

export { TensorFold } from './client.ts';
export { Chat, type ChatStream, type ChatStreamEvent } from './chat.ts';
export { Responses, type ResponseStream, type ResponseWithText } from './responses.ts';
export { ReplyStream } from './reply-stream.ts';
export type { RunnableTool, RunToolsOptions, RunToolsResult } from './run-tools.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export * from './errors.ts';
export { readEvents } from './event-stream.ts';
export type * from '@tensorfold/protocol/types';
