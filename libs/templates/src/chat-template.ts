// A checkpoint's chat template and what was learnt about it: messages to prompt, reply to events.

import type { ForcedToolCall, PromptPiece } from '@tensorfold/protocol';
import { CallBlock, type CallSink } from './call-block.ts';
import { toTemplateMessages } from './conversation.ts';
import { defaultTemplate } from './default-template.ts';
import { callSyntaxes, type ThinkForm, thinkForms } from './families/index.ts';
import { forcedHermesCall, forcedToolCall } from './forced-call.ts';
import { HarmonyParser, isHarmony } from './harmony-parser.ts';
import { JinjaTemplate } from './jinja/template.ts';
import { MarkerScanner } from './marker-scanner.ts';
import { ReplyParser } from './output-parser.ts';
import { renderTemplate } from './render.ts';
import { createCallId } from './reply-writer.ts';
import { thinkingKwargs } from './thinking.ts';
import { hermesJson } from './tool-calls/json.ts';
import { type CallSyntax, offeredTools, offersNothing } from './tool-calls/syntax.ts';
import { learnTraits, probe, type RenderedCall, renderCall, type TemplateTraits, type TryRender } from './traits.ts';
import type {
  ChatTemplate,
  LoadOptions,
  OutputParser,
  ParserOptions,
  RenderedPrompt,
  RenderRequest,
  ThinkingMarkers,
  ThinkingRequest,
  WireTool,
} from './types.ts';

/** Enough for conversations of four messages. */
const probeSteps = 100_000;

/** Throws a plain Error where the source is no template: the checkpoint's fault, not a client's. */
export function loadTemplate(options: LoadOptions): ChatTemplate {
  return new LoadedTemplate(options);
}

class LoadedTemplate implements ChatTemplate {
  readonly source: string;
  readonly supportsThinking: boolean;
  readonly supportsTools: boolean;
  readonly thinkingMarkers: ThinkingMarkers | null;
  readonly #options: LoadOptions;
  readonly #jinja: JinjaTemplate;
  readonly #traits: TemplateTraits;
  readonly #think: ThinkForm | null;
  readonly #rendered: RenderedCall | null;
  readonly #renderedEmpty: RenderedCall | null;
  readonly #syntax: CallSyntax | null;
  readonly #isHarmony: boolean;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.source = options.source ?? defaultTemplate(options.tokenId);
    this.#jinja = new JinjaTemplate(this.source);
    const tryRender: TryRender = (messages, tools) =>
      renderTemplate(this.#jinja, {
        messages,
        tools,
        kwargs: {},
        specialTokens: options.specialTokens,
        addGenerationPrompt: false,
        now: new Date(0),
        maxSteps: probeSteps,
      });
    this.#traits = learnTraits(this.source, tryRender);
    this.#rendered = renderCall(this.#traits, tryRender, { [probe.key]: probe.value });
    this.#renderedEmpty = renderCall(this.#traits, tryRender, {});
    this.#isHarmony = isHarmony(this.source);
    this.#think = this.#isHarmony ? null : thinkFormOf(this.source, options.tokenId);
    this.#syntax = this.#isHarmony ? null : syntaxOf(this.#rendered, options.tokenId);
    this.supportsThinking = this.#isHarmony || this.#think !== null;
    this.supportsTools =
      this.#traits.writesTools && this.#rendered !== null && (this.#isHarmony || this.#syntax !== null);
    this.thinkingMarkers = this.#think === null ? null : markersOf(this.#think, options.tokenId);
  }

  render(request: RenderRequest): RenderedPrompt {
    const tools = (request.tools ?? []).length === 0 ? null : request.tools;
    const messages = toTemplateMessages(request.messages, this.#traits);
    const kwargs = request.kwargs ?? {};
    const continues = request.continueFinalMessage ?? false;
    const rendered = renderTemplate(this.#jinja, {
      messages,
      tools,
      kwargs,
      specialTokens: this.#options.specialTokens,
      addGenerationPrompt: !continues && (request.addGenerationPrompt ?? true),
      continueFinalMessage: continues,
      now: request.now ?? new Date(),
    });
    const pieces = kwargs['enable_thinking'] === false ? this.#closeThinking(rendered) : rendered;
    return { pieces, thinkingStartsOpen: this.#endsThinking(pieces) };
  }

  thinkingKwargs(request: ThinkingRequest): Record<string, unknown> {
    return thinkingKwargs(this.source, request);
  }

  forcedToolCall(tools: readonly WireTool[], names: readonly string[]): ForcedToolCall | null {
    const offered = offeredTools(tools.filter((tool) => names.includes(tool.function.name)));
    if (offered.size === 0) return null;
    if (this.#rendered === null) return this.#isHarmony ? null : forcedHermesCall(offered);
    return forcedToolCall(this.#rendered, this.#renderedEmpty, this.#syntax, offered);
  }

  createOutputParser(options: ParserOptions): OutputParser {
    const tools = options.tools ?? [];
    const reply = {
      tools: tools.length === 0 ? offersNothing : offeredTools(tools),
      parallelToolCalls: options.parallelToolCalls ?? true,
      createId: options.createId ?? createCallId,
      thinkingStartsOpen: options.thinkingStartsOpen ?? false,
    };
    const { tokenId } = this.#options;
    if (this.#isHarmony) return new HarmonyParser(tokenId, reply);
    return new ReplyParser({ think: this.#think, syntax: this.#syntax, tokenId }, reply);
  }

  #endsThinking(pieces: readonly PromptPiece[]): boolean {
    const last = pieces.at(-1);
    if (this.#think === null || last?.source !== 'template') return false;
    return last.text.trimEnd().endsWith((this.#think.open + this.#think.label).trimEnd());
  }

  /** A template without a thinking switch opens the block all the same: an empty block says that thinking is off. */
  #closeThinking(pieces: readonly PromptPiece[]): readonly PromptPiece[] {
    if (!this.#endsThinking(pieces)) return pieces;
    const last = pieces.at(-1)!;
    return [...pieces.slice(0, -1), { ...last, text: last.text + this.#think!.close }];
  }
}

/** The think form whose closing marker the template writes; else one whose markers are both in the vocabulary. */
function thinkFormOf(source: string, tokenId: LoadOptions['tokenId']): ThinkForm | null {
  const written = thinkForms.find(({ close }) => source.includes(close));
  const known = thinkForms.find(({ open, close }) => tokenId(open) !== null && tokenId(close) !== null);
  return written ?? known ?? null;
}

function markersOf(think: ThinkForm, tokenId: LoadOptions['tokenId']): ThinkingMarkers {
  return {
    open: think.open,
    openId: tokenId(think.open),
    close: think.close,
    closeId: tokenId(think.close),
    closePieces: [{ text: `\n${think.close}\n\n`, source: 'template' }],
  };
}

/**
 * The syntax that reads the template's own call back. A template that writes none has a model that may write Hermes calls,
 * and does where a call is forced.
 */
function syntaxOf(rendered: RenderedCall | null, tokenId: LoadOptions['tokenId']): CallSyntax | null {
  if (rendered === null) return hermesJson;
  const written = callSyntaxes.find((syntax) => readsBack(syntax, rendered));
  return written ?? (tokenId(hermesJson.opener) !== null ? hermesJson : null);
}

function readsBack(syntax: CallSyntax, { text, nameAt }: RenderedCall): boolean {
  const block = blockIn(text, nameAt, syntax);
  if (block === null) return false;
  const read: ReadCall[] = [];
  const sink: CallSink = {
    startCall: (name) => read.push({ name, argumentsText: '' }),
    callArguments: (piece) => (read.at(-1)!.argumentsText += piece),
    endCall() {},
    abandonCall: () => read.pop(),
    text() {},
  };
  const tools = new Map([[probe.name, new Map()]]);
  const calls = new CallBlock(
    block.startsWith(syntax.opener) ? syntax.opener : '',
    syntax.createReader(tools),
    tools,
    sink,
  );
  const scanner = new MarkerScanner(syntax.inner.map((marker) => ({ text: marker, id: null })));
  const items = [...scanner.push({ id: null, text: insideOf(block, syntax) }), ...scanner.end()];
  for (const item of items) calls.push(item.text, item.type === 'marker');
  calls.finish();
  const [call] = read;
  if (call === undefined || calls.numCalls !== 1) return false;
  return (JSON.parse(call.argumentsText) as Record<string, unknown>)[probe.key] === probe.value;
}

interface ReadCall {
  readonly name: string;
  argumentsText: string;
}

/** The block's text between its markers. */
function insideOf(block: string, { opener, closer }: CallSyntax): string {
  const start = block.startsWith(opener) ? opener.length : 0;
  const end = closer !== null && block.endsWith(closer) ? block.length - closer.length : block.length;
  return block.slice(start, Math.max(start, end));
}

/** The block around the name; without an opener, for a bare form, the object around it. */
function blockIn(text: string, nameAt: number, syntax: CallSyntax): string | null {
  const start = text.lastIndexOf(syntax.opener, nameAt);
  if (start < 0) return syntax.bare ? objectAround(text, nameAt) : null;
  if (syntax.closer === null) return objectEnd(text, start);
  const end = text.indexOf(syntax.closer, nameAt);
  return end < 0 ? null : text.slice(start, end + syntax.closer.length);
}

function objectAround(text: string, nameAt: number): string | null {
  const start = text.lastIndexOf('{', nameAt);
  return start < 0 ? null : objectEnd(text, start);
}

/** From `start` through the last closing bracket: what follows is the turn's end. */
function objectEnd(text: string, start: number): string {
  const end = text.lastIndexOf('}') + 1;
  return text.slice(start, text[end] === ']' ? end + 1 : end);
}
