// A Responses request as the chat request that has the same prompt.

import {
  RequestError,
  type AssistantMessage,
  type ChatMessage,
  type ChatRequest,
  type InputContent,
  type ResponseInputItem,
  type ResponseRequest,
  type ResponseTextFormat,
  type ResponseToolChoice,
  type ResponseFormat,
  type ToolChoice,
} from '@tensorfold/protocol';

/** `history`: input and output of the responses before this one. Their instructions are not carried over. */
export function toChatRequest(request: ResponseRequest, history: readonly ResponseInputItem[]): ChatRequest {
  const { input, instructions, tools, tool_choice, max_output_tokens, reasoning, text, ...shared } = request;
  const system: ChatMessage[] =
    instructions === null || instructions === undefined ? [] : [{ role: 'system', content: instructions }];
  return {
    ...shared,
    messages: [...system, ...toMessages([...history, ...inputItems(input)])],
    tools: tools?.map(({ type, ...fields }) => ({ type, function: fields })),
    tool_choice: toChatChoice(tool_choice),
    max_completion_tokens: max_output_tokens,
    reasoning_effort: reasoning?.effort,
    response_format: toChatFormat(text?.format),
  };
}

export function inputItems(input: ResponseRequest['input']): readonly ResponseInputItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** Errors of the chat request, in the names that the client used. */
export function inResponseNames(error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  const rename = (text: string): string => names.reduce((so, [chat, response]) => so.replace(chat, response), text);
  return new RequestError(rename(error.message), {
    status: error.status,
    type: error.type,
    param: error.param === null ? null : rename(error.param),
    code: error.code,
  });
}

const names = [
  [/\bmax_(?:completion_)?tokens\b/g, 'max_output_tokens'],
  [/\bresponse_format\b/g, 'text.format'],
  [/\breasoning_effort\b/g, 'reasoning.effort'],
  [/^messages\b/, 'input'],
] as const;

type Draft = { -readonly [Key in keyof AssistantMessage]: AssistantMessage[Key] };

/** One turn of the assistant is several items: its reasoning, its text, its calls. They become one message again. */
function toMessages(items: readonly ResponseInputItem[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let turn: Draft | null = null;
  /** A call of this turn was broken off: the message after it is its text, and the turn's own. */
  let isBrokenOff = false;
  const openTurn = (): Draft => {
    turn ??= { role: 'assistant', content: null };
    return turn;
  };
  const closeTurn = (): void => {
    if (turn !== null) messages.push(turn);
    turn = null;
    isBrokenOff = false;
  };
  for (const item of items) {
    switch (item.type) {
      case 'reasoning': {
        closeTurn();
        const text = (item.content ?? []).map((part) => part.text).join('');
        if (text !== '') openTurn().reasoning_content = text;
        break;
      }
      case 'function_call': {
        // The model never finished it, so nothing answered it.
        if (item.status === 'incomplete') {
          isBrokenOff = turn !== null;
          break;
        }
        const { call_id: id, name, arguments: text } = item;
        const message: Draft = openTurn();
        message.tool_calls = [
          ...(message.tool_calls ?? []),
          { id, type: 'function', function: { name, arguments: text } },
        ];
        break;
      }
      case 'function_call_output':
        closeTurn();
        messages.push({ role: 'tool', tool_call_id: item.call_id, content: textOf(item.output) });
        break;
      default:
        if (item.role !== 'assistant') {
          closeTurn();
          messages.push({ role: item.role, content: textOf(item.content) });
          break;
        }
        const spoken = isBrokenOff ? contentOf(turn) : '';
        if (!isBrokenOff && hasSpoken(turn)) closeTurn();
        openTurn().content = spoken + textOf(item.content);
        isBrokenOff = false;
    }
  }
  closeTurn();
  return messages;
}

/** Set from text only, here. */
const contentOf = (turn: Draft | null): string => (typeof turn?.content === 'string' ? turn.content : '');

const hasSpoken = (turn: Draft | null): boolean =>
  turn !== null && ((turn.content ?? null) !== null || (turn.tool_calls ?? []).length > 0);

function textOf(content: InputContent): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
}

function toChatChoice(choice: ResponseToolChoice | null | undefined): ToolChoice | null | undefined {
  if (choice === null || choice === undefined || typeof choice === 'string') return choice;
  const named = (name: string) => ({ type: 'function', function: { name } }) as const;
  if (choice.type === 'function') return named(choice.name);
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: choice.mode, tools: choice.tools.map((tool) => named(tool.name)) },
  };
}

function toChatFormat(format: ResponseTextFormat | null | undefined): ResponseFormat | null | undefined {
  if (format?.type !== 'json_schema') return format;
  const { type, ...fields } = format;
  return { type, json_schema: fields };
}
