// client.runTools: a chat that calls the caller's functions until it has an answer.

import type {
  ChatCompletion,
  ChatCompletionRequest,
  ChatMessage,
  FunctionTool,
  ToolCall,
} from '@tensorfold/protocol/types';
import type { Chat, ChatStreamEvent } from './chat.ts';
import type { CallOptions } from './transport.ts';

export interface RunnableTool {
  readonly description?: string;
  /** JSON schema of the arguments. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Gets the parsed arguments; what it returns, as JSON unless a string, is the tool's message. */
  readonly run: (args: unknown, call: ToolCall) => unknown;
}

export interface RunToolsOptions extends CallOptions {
  /** Rounds of calls before the loop gives up; default 10. */
  readonly maxRounds?: number;
  /** Asked before each call; false tells the model that it was refused. */
  readonly approve?: (call: ToolCall) => boolean | Promise<boolean>;
  readonly onEvent?: (event: ChatStreamEvent) => void;
}

export interface RunToolsResult {
  readonly completion: ChatCompletion;
  /** The conversation through the last reply; send it on to go on. */
  readonly messages: readonly ChatMessage[];
}

type Request = Omit<ChatCompletionRequest, 'stream' | 'tools'> & {
  readonly tools: Readonly<Record<string, RunnableTool>>;
};

/**
 * Tools run only once a reply has ended in calls, so arguments that merely parse early are never acted on. A tool that
 * throws, is unknown or is refused answers with that, as text, and the model goes on.
 */
export async function runTools(chat: Chat, request: Request, options: RunToolsOptions = {}): Promise<RunToolsResult> {
  const { maxRounds = 10, approve, onEvent, ...callOptions } = options;
  const tools: FunctionTool[] = Object.entries(request.tools).map(([name, { description, parameters }]) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  const messages: ChatMessage[] = [...request.messages];
  for (let round = 0; ; round += 1) {
    const stream = chat.stream({ ...request, messages, tools }, callOptions);
    for await (const event of stream) onEvent?.(event);
    const completion = await stream.final();
    const choice = completion.choices[0];
    if (choice === undefined) return { completion, messages };
    messages.push(choice.message);
    const calls = choice.message.tool_calls ?? [];
    if (choice.finish_reason !== 'tool_calls' || calls.length === 0 || round >= maxRounds)
      return { completion, messages };
    const results = await Promise.all(calls.map((call) => runCall(request.tools, call, approve)));
    calls.forEach((call, index) => {
      messages.push({ role: 'tool', tool_call_id: call.id, content: results[index] ?? '' });
    });
  }
}

async function runCall(
  tools: Readonly<Record<string, RunnableTool>>,
  call: ToolCall,
  approve: RunToolsOptions['approve'],
): Promise<string> {
  const { name, arguments: text } = call.function;
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (tool === undefined) return `error: there is no tool ${name}`;
  if (approve !== undefined && !(await approve(call))) return 'error: the user refused this call';
  try {
    const result = await tool.run(JSON.parse(text === '' ? '{}' : text), call);
    return typeof result === 'string' ? result : (JSON.stringify(result) ?? '');
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : String(error)}`;
  }
}
