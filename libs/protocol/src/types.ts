// The wire, as interfaces: what clients send and what they get. No zod here, so a client can import the types alone.
// The schemas that check requests say `satisfies z.ZodType<...>` of these.

export type * from './pipeline.ts';
import type { ErrorType } from './errors.ts';

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
  /** The reply goes on with the last message, an assistant's. */
  readonly continue_final_message?: Maybe<boolean>;
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
  /** A number; a name where the server keeps keys and values as another type than the checkpoint's own: `1+kv-q8`. */
  readonly numeric_version: number | string;
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
  readonly continue_final_message?: Maybe<boolean>;
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

// Responses

export interface InputTextPart {
  readonly type: 'input_text' | 'output_text' | 'text';
  readonly text: string;
}

export type InputContent = string | readonly (InputTextPart | RefusalPart)[];

export interface InputMessage {
  readonly type?: 'message' | undefined;
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly content: InputContent;
}

export interface InputReasoning {
  readonly type: 'reasoning';
  readonly content?: Maybe<readonly { readonly type: 'reasoning_text'; readonly text: string }[]>;
}

export interface InputFunctionCall {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
  readonly status?: Maybe<string>;
}

export interface InputFunctionCallOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: InputContent;
}

export type ResponseInputItem = InputMessage | InputReasoning | InputFunctionCall | InputFunctionCallOutput;

export interface ResponseTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: Maybe<string>;
  readonly parameters?: Maybe<Readonly<Record<string, unknown>>>;
  readonly strict?: Maybe<boolean>;
}

export interface ResponseToolName {
  readonly type: 'function';
  readonly name: string;
}

export type ResponseToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | ResponseToolName
  | {
      readonly type: 'allowed_tools';
      readonly mode: 'auto' | 'required';
      readonly tools: readonly ResponseToolName[];
    };

export type ResponseTextFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly schema: Readonly<Record<string, unknown>> | boolean;
      readonly name?: Maybe<string>;
      readonly description?: Maybe<string>;
      readonly strict?: Maybe<boolean>;
    };

export interface ResponseRequest extends GenerationFields, ThinkingFields {
  readonly input: string | readonly ResponseInputItem[];
  readonly instructions?: Maybe<string>;
  readonly tools?: Maybe<readonly ResponseTool[]>;
  readonly tool_choice?: Maybe<ResponseToolChoice>;
  readonly parallel_tool_calls?: Maybe<boolean>;
  readonly max_output_tokens?: Maybe<number>;
  readonly reasoning?: Maybe<{ readonly effort?: Maybe<ReasoningEffort>; readonly summary?: Maybe<string> }>;
  readonly text?: Maybe<{ readonly format?: Maybe<ResponseTextFormat> }>;
  /** true (default) keeps the response for GET and previous_response_id. */
  readonly store?: Maybe<boolean>;
  /** At most 16 pairs; keys to 64, values to 512 characters. */
  readonly metadata?: Maybe<Readonly<Record<string, string>>>;
  readonly previous_response_id?: Maybe<string>;
  readonly stream_options?: Maybe<StreamOptions>;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export interface OutputTextPart {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: readonly never[];
  readonly logprobs: readonly never[];
}

export interface ReasoningTextPart {
  readonly type: 'reasoning_text';
  readonly text: string;
}

export interface OutputMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly status: ItemStatus;
  readonly content: readonly OutputTextPart[];
}

export interface OutputReasoning {
  readonly id: string;
  readonly type: 'reasoning';
  readonly status: ItemStatus;
  readonly summary: readonly never[];
  readonly content: readonly ReasoningTextPart[];
}

export interface OutputFunctionCall {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export type ResponseOutputItem = OutputMessage | OutputReasoning | OutputFunctionCall;

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed';

export interface ModelResponse {
  readonly id: string;
  readonly object: 'response';
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: ResponseStatus;
  readonly background: false;
  readonly error: { readonly code: string; readonly message: string; readonly type: ErrorType } | null;
  readonly incomplete_details: { readonly reason: 'max_output_tokens' } | null;
  readonly instructions: string | null;
  readonly max_output_tokens: number | null;
  readonly max_tool_calls: null;
  readonly model: string;
  readonly output: readonly ResponseOutputItem[];
  readonly parallel_tool_calls: boolean;
  readonly previous_response_id: string | null;
  readonly prompt_cache_key: null;
  readonly reasoning: { readonly effort: ReasoningEffort | null; readonly summary: string | null };
  readonly safety_identifier: null;
  readonly service_tier: 'default';
  readonly store: boolean;
  readonly temperature: number;
  readonly text: { readonly format: ResponseTextFormat };
  readonly tool_choice: ResponseToolChoice;
  readonly tools: readonly {
    readonly type: 'function';
    readonly name: string;
    readonly description: string | null;
    readonly parameters: Readonly<Record<string, unknown>> | null;
    readonly strict: boolean | null;
  }[];
  readonly top_logprobs: 0;
  readonly top_p: number;
  readonly presence_penalty: 0;
  readonly frequency_penalty: 0;
  readonly truncation: 'disabled';
  readonly usage: ResponseUsage | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Once the reply ended. */
  readonly tensorfold?: ReplyStatistics;
}

export interface DeletedResponse {
  readonly id: string;
  readonly object: 'response';
  readonly deleted: true;
}

interface ItemPlace {
  readonly item_id: string;
  readonly output_index: number;
}

interface PartPlace extends ItemPlace {
  readonly content_index: number;
}

type Numbered<Event> = Event & { readonly sequence_number: number };

/** The events of a streamed response, in the order that docs/api.md gives. */
export type ResponseStreamEvent = Numbered<
  | { readonly type: 'response.created' | 'response.in_progress'; readonly response: ModelResponse }
  | {
      readonly type: 'response.output_item.added' | 'response.output_item.done';
      readonly output_index: number;
      readonly item: ResponseOutputItem;
    }
  | ({
      readonly type: 'response.content_part.added' | 'response.content_part.done';
      readonly part: OutputTextPart | ReasoningTextPart;
    } & PartPlace)
  | ({
      readonly type: 'response.output_text.delta';
      readonly delta: string;
      readonly logprobs: readonly never[];
    } & PartPlace)
  | ({
      readonly type: 'response.output_text.done';
      readonly text: string;
      readonly logprobs: readonly never[];
    } & PartPlace)
  | ({ readonly type: 'response.reasoning_text.delta'; readonly delta: string } & PartPlace)
  | ({ readonly type: 'response.reasoning_text.done'; readonly text: string } & PartPlace)
  | ({ readonly type: 'response.function_call_arguments.delta'; readonly delta: string } & ItemPlace)
  | ({ readonly type: 'response.function_call_arguments.done'; readonly arguments: string } & ItemPlace)
  | {
      readonly type: 'response.completed' | 'response.incomplete' | 'response.failed';
      readonly response: ModelResponse;
    }
>;
