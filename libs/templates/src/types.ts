// What goes in and out of this room besides the values of pipeline.ts.

import type { ForcedToolCall, OutputEvent, PromptPiece, TokenEvent, TokenId } from '@tensorfold/protocol';

export interface WirePart {
  readonly type: string;
  readonly text?: string | undefined;
}

export interface WireToolCall {
  readonly id?: string | undefined;
  readonly type?: string | undefined;
  /** `arguments` is JSON text; an object is taken as it is. */
  readonly function: { readonly name: string; readonly arguments?: unknown };
}

/** A message as clients send it (OpenAI's chat form). */
export interface WireMessage {
  readonly role: string;
  readonly content?: string | readonly WirePart[] | null | undefined;
  readonly name?: string | undefined;
  readonly tool_calls?: readonly WireToolCall[] | null | undefined;
  readonly tool_call_id?: string | undefined;
  readonly reasoning_content?: string | null | undefined;
  readonly reasoning?: string | null | undefined;
}

/** A function tool as clients send it. */
export interface WireTool {
  readonly type: string;
  readonly function: {
    readonly name: string;
    readonly description?: string | null | undefined;
    /** A JSON schema. */
    readonly parameters?: unknown;
  };
}

export interface LoadOptions {
  /** Jinja text; null where the checkpoint has none. */
  readonly source: string | null;
  /** `bos_token`, `eos_token` and so on, as the template reads them. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** The id of an added token spelled exactly so; null where the vocabulary has none. */
  readonly tokenId: (text: string) => TokenId | null;
}

export interface RenderRequest {
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[] | null | undefined;
  /** Passed to the template by name (`chat_template_kwargs`, after `thinkingKwargs`). */
  readonly kwargs?: Readonly<Record<string, unknown>> | undefined;
  /** Default true. */
  readonly addGenerationPrompt?: boolean | undefined;
  /** The prompt ends inside the last message, for the model to go on. */
  readonly continueFinalMessage?: boolean | undefined;
  /** What `strftime_now` tells; default the present. */
  readonly now?: Date | undefined;
}

export interface RenderedPrompt {
  /** Joined, they are the template's text character by character. */
  readonly pieces: readonly PromptPiece[];
  /** The prompt ends inside a think block: the reply begins with reasoning. */
  readonly thinkingStartsOpen: boolean;
}

export interface ThinkingRequest {
  /** The request's `reasoning_effort`. */
  readonly effort?: string | null | undefined;
  /** The request's `chat_template_kwargs`. */
  readonly kwargs?: Readonly<Record<string, unknown>> | null | undefined;
  /** The server's own effort, for requests without one. */
  readonly defaultEffort?: string | null | undefined;
}

export interface ThinkingMarkers {
  readonly open: string;
  readonly openId: TokenId | null;
  readonly close: string;
  readonly closeId: TokenId | null;
  /** A newline, the closing marker and a blank line: what a thinking budget writes. */
  readonly closePieces: readonly PromptPiece[];
}

export interface ParserOptions {
  /** The tools offered; null or empty: a call is content. */
  readonly tools?: readonly WireTool[] | null | undefined;
  /** From `RenderedPrompt`. */
  readonly thinkingStartsOpen?: boolean | undefined;
  /** false: the first valid completed call only. Default true. */
  readonly parallelToolCalls?: boolean | undefined;
  /** Makes call ids; default random `call_...`. */
  readonly createId?: (() => string) | undefined;
}

/** Turns one reply's token events into output events. One parser a reply. The `finish` event comes out of `push`. */
export interface OutputParser {
  push(event: TokenEvent): OutputEvent[];
}

/** A family's text, both ways. Made once a checkpoint; holds no request. */
export interface ChatTemplate {
  readonly source: string;
  /** The template or the vocabulary knows a think block. */
  readonly supportsThinking: boolean;
  /** The template writes offered tools into the prompt and calls in a syntax we read. */
  readonly supportsTools: boolean;
  readonly thinkingMarkers: ThinkingMarkers | null;
  /** RequestError (400) where the messages are wrong or the template refuses them. */
  render(request: RenderRequest): RenderedPrompt;
  /** `chat_template_kwargs` as the template hears them, after effort and thinking rules. */
  thinkingKwargs(request: ThinkingRequest): Record<string, unknown>;
  /** null where no call can be forced. A template that writes none gets Hermes calls. `names`: the offered tools that may be called. */
  forcedToolCall(tools: readonly WireTool[], names: readonly string[]): ForcedToolCall | null;
  createOutputParser(options: ParserOptions): OutputParser;
}
