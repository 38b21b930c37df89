// Generated replies of every call syntax through the whole server: streamed = whole, chat = responses.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callForms, type CallForm, type ReplyToken } from '../../../tools/scripted-replies/call-forms.ts';
import {
  brokenReplies,
  cutRounds,
  cuts,
  cutTokens,
  offeredTools,
  wholeReplies,
  isJson,
} from '../../../tools/scripted-replies/replies.ts';
import type { Script, ScriptedToken } from '../src/testing/index.ts';
import { foldChunks, testServer, user, type Reply } from './scripted-server.ts';

interface Said {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finish: string;
  readonly tokens: readonly [completion: number, reasoning: number];
}

const chatTools = offeredTools;
const responseTools = offeredTools.map(({ type, function: fields }) => ({ type, ...fields }));

/** A token that ends inside a character, and the one that has its rest. */
function splitCharacter(text: string): ScriptedToken[] {
  const bytes = Buffer.from(text);
  const at = bytes.findIndex((byte) => byte >= 0xc0) + 1;
  return at === 0 ? [text] : [bytes.subarray(0, at), bytes.subarray(at)];
}

const scriptOf = (
  tokens: readonly ReplyToken[],
  cut: { text: readonly number[]; rounds: readonly number[] },
): Script => ({
  rounds: cutRounds(
    cutTokens(tokens, cut.text).flatMap(({ text, isMarker }) => (isMarker ? [text] : splitCharacter(text))),
    cut.rounds,
  ),
});

function serverOf(form: CallForm) {
  let script: Script = { rounds: [] };
  const server = testServer({
    play: () => script,
    engine: { addedTokens: form.markers, card: { chatTemplate: form.template } },
  });
  return {
    server,
    play: (next: Script) => {
      script = next;
    },
  };
}

function saidByChat({ json }: Reply): Said {
  const { message, finish_reason: finish } = json.choices[0];
  return {
    reasoning: message.reasoning_content ?? '',
    content: message.content ?? '',
    calls: (message.tool_calls ?? []).map((call: any) => call.function),
    finish,
    tokens: [json.usage.completion_tokens, json.usage.completion_tokens_details.reasoning_tokens],
  };
}

/** As a client folds it that drops calls whose arguments are no JSON. */
function saidByStream(chunks: readonly any[]): Said {
  const folded = foldChunks(chunks);
  const usage = folded.usage as any;
  return {
    reasoning: folded.reasoning,
    content: folded.content,
    calls: (folded.calls as any[]).map((call) => call.function).filter((call) => isJson(call.arguments)),
    finish: folded.finish ?? '',
    tokens: [usage.completion_tokens, usage.completion_tokens_details.reasoning_tokens],
  };
}

function saidByResponse(response: any): Said {
  const textOf = (type: string): string =>
    response.output
      .filter((item: any) => item.type === type)
      .flatMap((item: any) => item.content.map((part: any) => part.text))
      .join('');
  const calls = response.output.filter((item: any) => item.type === 'function_call' && item.status === 'completed');
  const stop = calls.length > 0 ? 'tool_calls' : 'stop';
  return {
    reasoning: textOf('reasoning'),
    content: textOf('message'),
    calls: calls.map((item: any) => ({ name: item.name, arguments: item.arguments })),
    finish: response.status === 'incomplete' ? 'length' : stop,
    tokens: [response.usage.output_tokens, response.usage.output_tokens_details.reasoning_tokens],
  };
}

/** The terminal response, once its events are known to be in order and to add up to it. */
function checkedResponse(reply: Reply): any {
  const frames = reply.body.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  const events = frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)));
  const done: unknown[] = [];
  let open: any = null;
  let text = '';
  for (const [number, event] of events.entries()) {
    expect(event.sequence_number).toBe(number);
    if (event.type === 'response.output_item.added') {
      expect(open).toBeNull();
      expect(event.output_index).toBe(done.length);
      open = event.item;
      text = '';
    } else if (event.type.endsWith('.delta')) {
      expect([event.item_id, event.output_index]).toEqual([open.id, done.length]);
      text += event.delta;
    } else if (event.type === 'response.output_item.done') {
      expect(event.item.id).toBe(open.id);
      expect(event.item.arguments ?? event.item.content[0].text).toBe(text);
      done.push(event.item);
      open = null;
    }
  }
  const { response } = events.at(-1);
  expect(open).toBeNull();
  expect(response.output).toEqual(done);
  return response;
}

describe.each(callForms.map((form) => [form.name, form] as const))('%s', (_name, form) => {
  test('a reply says the same in a body and in a stream, on chat and on responses', async () => {
    const { server, play } = serverOf(form);
    const replies = fc.oneof(
      { weight: 1, arbitrary: wholeReplies(form).map(({ tokens }) => tokens) },
      { weight: 2, arbitrary: brokenReplies(form) },
    );
    const options = fc.record({
      parallel_tool_calls: fc.boolean(),
      draft: fc.boolean(),
      ...(form.name === 'harmony' ? {} : { chat_template_kwargs: fc.record({ enable_thinking: fc.boolean() }) }),
      isLimited: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(replies, cuts, options, async (tokens, cut, { isLimited, ...fields }) => {
        const script = scriptOf(tokens, cut);
        play(script);
        const limit = isLimited ? Math.max(1, script.rounds.flat().length) : 2000;
        const chat = { ...fields, tools: chatTools, max_tokens: limit };
        const response = { ...fields, input: user('hi'), tools: responseTools, max_output_tokens: limit, store: false };
        const whole = saidByChat(await server.chat(chat));
        expect(saidByStream(await server.chatStream(chat))).toEqual(whole);
        const asResponse = await server.post('/v1/responses', response);
        expect(saidByResponse(asResponse.json)).toEqual(whole);
        const streamed = checkedResponse(await server.post('/v1/responses', { ...response, stream: true }));
        expect(saidByResponse(streamed)).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});
