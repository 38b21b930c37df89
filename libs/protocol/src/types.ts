// The wire, as interfaces: what clients send and what they get. No zod here, so a client can import the types alone.
// The schemas that check requests say `satisfies z.ZodType<...>` of these.

export type * from './pipeline.ts';
export type { ErrorBody, ErrorType } from './errors.ts';

type Maybe<T> = T | null | undefined;

// Chat

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface RefusalPart {
  readonly type: 'refusal';
  readonly refusal: string;
}

export type MessageContent = string | readonly TextPart[];

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** JSON, as the model wrote it. */
    readonly arguments: string;
  };
}

/** A call as clients send it back: `id` and `type` may be missing, `arguments` may be an object. */
export interface ToolCallInput {
  readonly id?: string | undefined;
  readonly type?: 'function' | undefined;
  readonly function: {
    readonly name: string;
    readonly arguments?: Maybe<string | Readonly<Record<string, unknown>>>;
  };
}

export interface SystemMessage {
  readonly role: 'system' | 'developer';
  readonly content: MessageContent;
  readonly name?: string | undefined;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: MessageContent;
  readonly name?: string | undefined;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content?: Maybe<string | readonly (TextPart | RefusalPart)[]>;
  readonly reasoning_content?: Maybe<string>;
  /** Read where `reasoning_content` is absent. */
  readonly reasoning?: Maybe<string>;
  readonly refusal?: Maybe<string>;
  readonly tool_calls?: Maybe<readonly ToolCallInput[]>;
  readonly name?: string | undefined;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly content: MessageContent;
  readonly tool_call_id?: string | undefined;
  readonly name?: string | undefined;
}

export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface FunctionTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: Maybe<string>;
    /** JSON schema of the arguments. */
    readonly parameters?: Maybe<Readonly<Record<string, unknown>>>;
    readonly strict?: Maybe<boolean>;
  };
}

export interface NamedToolChoice {
  readonly type: 'function';
  readonly function: { readonly name: string };
}

export interface AllowedToolsChoice {
  readonly type: 'allowed_tools';
  readonly allowed_tools: {
    readonly mode: 'auto' | 'required';
    readonly tools: readonly NamedToolChoice[];
  };
}

export type ToolChoice = 'none' | 'auto' | 'required' | NamedToolChoice | AllowedToolsChoice;

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly json_schema: {
        readonly schema: Readonly<Record<string, unknown>> | boolean;
        readonly name?: Maybe<string>;
        readonly description?: Maybe<string>;
        readonly strict?: Maybe<boolean>;
      };
    };

/** What a reply must match, by vLLM's names; at most one of them. */
export interface StructuredOutputs {
  readonly json?: Maybe<string | boolean | Readonly<Record<string, unknown>>>;
  readonly json_object?: Maybe<boolean>;
  readonly regex?: Maybe<string>;
  readonly choice?: Maybe<readonly string[]>;
  readonly grammar?: Maybe<string>;
}

/** What chat, completions and responses share. */
export interface GenerationFields {
  readonly model?: Maybe<string>;
  readonly stream?: Maybe<boolean>;
  readonly temperature?: Maybe<number>;
  readonly top_p?: Maybe<number>;
  readonly top_k?: Maybe<number>;
  readonly min_p?: Maybe<number>;
  readonly seed?: Maybe<number>;
  readonly stop?: Maybe<string | readonly string[]>;
  readonly ignore_eos?: Maybe<boolean>;
  /** false: one token a round, the serial reference. */
  readonly draft?: Maybe<boolean>;
  readonly priority?: Maybe<'foreground' | 'background'>;
  /** Requests with equal salts share the prefix cache. */
  readonly cache_salt?: Maybe<string>;
  readonly guided_json?: Maybe<string | boolean | Readonly<Record<string, unknown>>>;
  readonly guided_regex?: Maybe<string>;
  readonly guided_choice?: Maybe<readonly string[]>;
  readonly guided_grammar?: Maybe<string>;
  readonly structured_outputs?: Maybe<StructuredOutputs>;
}

/** What a chat template is told beside the messages. */
export interface ThinkingFields {
  readonly thinking_budget?: Maybe<number>;
  readonly chat_template_kwargs?: Maybe<Readonly<Record<string, unknown>>>;
}

export interface StreamOptions {
  readonly include_usage?: Maybe<boolean>;
  readonly include_obfuscation?: Maybe<boolean>;
}

export interface ChatCompletionRequest extends GenerationFields, ThinkingFields {
  readonly messages: readonly ChatMessage[];
  readonly tools?: Maybe<readonly FunctionTool[]>;
  readonly tool_choice?: Maybe<ToolChoice>;
  readonly parallel_tool_calls?: Maybe<boolean>;
  readonly max_tokens?: Maybe<number>;
  readonly max_completion_tokens?: Maybe<number>;
  readonly stream_options?: Maybe<StreamOptions>;
  readonly reasoning_effort?: Maybe<ReasoningEffort>;
  readonly response_format?: Maybe<ResponseFormat>;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

/** Of one reply; times in seconds. */
export interface ReplyStatistics {
  /** First 12 hex digits of SHA-256 over the reply's decimal token ids joined by commas. */
  readonly token_sha: string;
  readonly numeric_version: number;
  readonly kernel: string;
  readonly prefill_seconds: number;
  readonly decode_seconds: number;
  /** Of the decode phase. */
  readonly tokens_per_second: number;
  readonly time_to_first_token: number;
  readonly draft: { readonly drafted: number; readonly accepted: number; readonly rounds: number };
}

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls';

export interface ChatCompletionMessage {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly refusal: null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: ChatCompletionMessage;
    readonly logprobs: null;
    readonly finish_reason: ChatFinishReason;
  }[];
  readonly usage: Usage;
  readonly tensorfold: ReplyStatistics;
}

export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments: string };
}

export interface ChatDelta {
  readonly role?: 'assistant';
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCallDelta[];
}

export interface ChatCompletionChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  readonly created: number;
  readonly model: string;
  /** Empty in the usage chunk of `stream_options.include_usage`. */
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatDelta;
    readonly logprobs: null;
    readonly finish_reason: ChatFinishReason | null;
  }[];
  readonly usage?: Usage | null;
  readonly tensorfold?: ReplyStatistics;
}

// Completions

export interface CompletionRequest extends GenerationFields {
  /** Text, read without a chat template, or token ids. */
  readonly prompt: string | readonly number[];
  readonly max_tokens?: Maybe<number>;
  readonly max_completion_tokens?: Maybe<number>;
  readonly stream_options?: Maybe<StreamOptions>;
  readonly response_format?: Maybe<ResponseFormat>;
}

export interface Completion {
  readonly id: string;
  readonly object: 'text_completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly text: string;
    readonly logprobs: null;
    readonly finish_reason: 'stop' | 'length';
  }[];
  readonly usage: Usage;
  readonly tensorfold: ReplyStatistics;
}

export interface CompletionChunk {
  readonly id: string;
  readonly object: 'text_completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly text: string;
    readonly logprobs: null;
    readonly finish_reason: 'stop' | 'length' | null;
  }[];
  readonly usage?: Usage | null;
  readonly tensorfold?: ReplyStatistics;
}

// Models, tokens, health

export interface Model {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  /** vLLM's name for the window, which some clients read. */
  readonly max_model_len: number;
}

export interface ModelList {
  readonly object: 'list';
  readonly data: readonly Model[];
}

export interface TokenizeRequest {
  readonly model?: Maybe<string>;
  readonly prompt?: Maybe<string>;
  readonly messages?: Maybe<readonly ChatMessage[]>;
  readonly tools?: Maybe<readonly FunctionTool[]>;
  readonly chat_template_kwargs?: Maybe<Readonly<Record<string, unknown>>>;
  readonly add_special_tokens?: Maybe<boolean>;
  readonly add_generation_prompt?: Maybe<boolean>;
  readonly return_token_strs?: Maybe<boolean>;
}

export interface TokenizeResponse {
  readonly count: number;
  readonly max_model_len: number;
  readonly tokens: readonly number[];
  readonly token_strs: readonly string[] | null;
}

export interface DetokenizeRequest {
  readonly model?: Maybe<string>;
  readonly tokens: readonly number[];
}

export interface DetokenizeResponse {
  readonly prompt: string;
}

/** `GET /health`: counters since start. Difference two samples for rates; the first is a baseline. */
export interface Health {
  readonly status: 'ok' | 'draining' | 'failed';
  readonly model: string;
  readonly busy: boolean;
  readonly requests_running: number;
  readonly requests_waiting: number;
  readonly requests_total: number;
  readonly prompt_tokens_total: number;
  readonly cached_tokens_total: number;
  /** Grows while replies run. */
  readonly completion_tokens_total: number;
  readonly prefill_seconds_total: number;
  readonly decode_seconds_total: number;
  readonly rounds_total: number;
  readonly drafted_total: number;
  readonly accepted_total: number;
  readonly streams: { readonly decoding: number; readonly prefilling: number; readonly max: number };
  readonly context_length: number;
  readonly uptime_seconds: number;
}
