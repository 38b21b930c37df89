// The embedded model through the whole server: what the README shows, and the equalities on text that means something.

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp, loadModel } from '../src/index.ts';

const path = fileURLToPath(new URL('../../../models/tf-demo/tf-demo.gguf', import.meta.url));
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

interface Started {
  readonly stop: () => Promise<void>;
  readonly url: string;
}

async function start(kernel?: string): Promise<Started> {
  const model = await loadModel({ model: path, lanes: 4, ...(kernel === undefined ? {} : { kernel }) });
  const app = buildApp({ model, config: { log: 'silent', drainTimeoutMs: 1000 } });
  await app.http.listen({ port: 0, host: '127.0.0.1' });
  const stop = async () => {
    await app.drain();
    await model.engine.close();
  };
  return { stop, url: `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}/v1` };
}

async function chat({ url }: Started, body: object): Promise<any> {
  const reply = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return reply.json();
}

const ask = (content: string, more: object = {}) => ({
  messages: [{ role: 'user', content }],
  temperature: 0,
  ...more,
});

/** The requests of the README's curl lines, and the message that it shows below each. */
function shownReplies(): { body: object; message: string }[] {
  const shown = /^ {4}curl [^\n]*chat\/completions[^']*'[^']*' \\\n +-d '([^']*)'\n\n {4}(\{.*\})$/gm;
  return [...readme.matchAll(shown)].map(([, body, message]) => ({ body: JSON.parse(body!), message: message! }));
}

/** Ids of calls are made anew each time. */
function withoutIds(message: any): string {
  const calls = message.tool_calls?.map(({ id: _id, ...call }: { id: string }) => call);
  return JSON.stringify(calls === undefined ? message : { ...message, tool_calls: calls });
}

describe('the embedded model', () => {
  let started: Started;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started.stop());

  test('gives the replies that the README shows, on every kernel set', async () => {
    const shown = shownReplies();
    expect(shown.length).toBeGreaterThanOrEqual(3);
    const scalar = await start('scalar');
    try {
      for (const { body, message } of shown) {
        const reply = await chat(started, body);
        expect(withoutIds(reply.choices[0].message)).toBe(message);
        expect((await chat(scalar, body)).tensorfold.token_sha).toBe(reply.tensorfold.token_sha);
      }
    } finally {
      await scalar.stop();
    }
  });

  test('thinks where the question needs it, and not where thinking is off', async () => {
    const thought = await chat(started, ask('What is 27 + 15?'));
    expect(thought.choices[0].message).toMatchObject({
      content: expect.stringMatching(/^27 \+ 15 = \d+$/),
      reasoning_content: expect.any(String),
    });
    expect(thought.usage.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const direct = await chat(started, ask('What is 27 + 15?', { reasoning_effort: 'none' }));
    expect(direct.choices[0].message.reasoning_content ?? null).toBeNull();
    expect(direct.choices[0].finish_reason).toBe('stop');
  });

  test('an edit task accepts drafts, and the tokens are those of the serial reply', async () => {
    const text = 'The river was near the old castle. A farmer read the map and drew a small bridge over the river.';
    const body = ask(`Replace castle by tower in this text: ${text}`, { seed: 1 });
    const drafted = await chat(started, { ...body, draft: true });
    const serial = await chat(started, { ...body, draft: false });
    expect(drafted.tensorfold.token_sha).toBe(serial.tensorfold.token_sha);
    expect(drafted.tensorfold.draft.accepted).toBeGreaterThan(0);
    expect(drafted.tensorfold.draft.rounds).toBeLessThan(serial.usage.completion_tokens);
  });

  test('four at once give the tokens of each alone', async () => {
    const bodies = ['Hello', 'What is TensorFold?', 'What is 8 + 9?', 'Repeat: a red boat'].map((text) => ask(text));
    const alone: string[] = [];
    for (const body of bodies) alone.push((await chat(started, body)).tensorfold.token_sha);
    const together = await Promise.all(bodies.map((body) => chat(started, body)));
    expect(together.map((reply) => reply.tensorfold.token_sha)).toEqual(alone);
  });

  test("openai's client runs a tool and gets the answer from its result", async () => {
    const client = new OpenAI({ baseURL: started.url, apiKey: 'none' });
    const tools: OpenAI.ChatCompletionFunctionTool[] = [
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'Get the weather of a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'What is the weather in Lisbon?' }];
    const settings = { model: 'tf-demo', tools, temperature: 0 };
    const first = await client.chat.completions.create({ ...settings, messages });
    const [call] = first.choices[0]!.message.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: 'get_weather' } });
    expect(JSON.parse((call as any).function.arguments)).toEqual({ city: 'Lisbon' });
    messages.push(first.choices[0]!.message, { role: 'tool', tool_call_id: call!.id, content: '{"sky": "clear"}' });
    const second = await client.chat.completions.create({ ...settings, messages });
    expect(second.choices[0]!.message.content).toContain('clear');
    expect(second.choices[0]!.finish_reason).toBe('stop');
  });
});
