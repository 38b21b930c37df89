import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { ResponseStore } from '../src/responses/store.ts';
import type { Script } from '../src/testing/index.ts';
import { testServer, type Reply } from './scripted-server.ts';

const URL = '/v1/responses';
const tool = {
  type: 'function',
  name: 'add',
  parameters: { type: 'object', properties: { a: { type: 'integer' } } },
};
const addCall = ['<tool_call>', '\n<function=add>\n<parameter=a>\n1\n</parameter>\n</function>\n', '</tool_call>'];
const everything: Script = { rounds: [['<think>', '\nso 4', '\n', '</think>', '\n\n'], ['Four', '.'], addCall] };
const thinking: Script = { rounds: [['<think>'], ['hm'], ['</think>', '\n\n'], ['Four', '.']] };

function eventsOf(reply: Reply): any[] {
  expect(reply.status, reply.body).toBe(200);
  const frames = reply.body.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  return frames.map((frame) => {
    const [, name, data] = /^event: (\S+)\ndata: ([^\n]*)$/.exec(frame) ?? [];
    const event = JSON.parse(data ?? '');
    expect(event.type).toBe(name);
    return event;
  });
}

const withoutIds = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replace(/"(?:id|call_id|item_id)":"[^"]*"/g, '"id":""')) as unknown;

test('a response has every field that the types require', async () => {
  const { status, json } = await testServer().post(URL, { input: 'hi', temperature: 0, metadata: { a: 'b' } });
  expect(status).toBe(200);
  expect(json).toEqual({
    id: expect.stringMatching(/^resp_/),
    object: 'response',
    created_at: expect.any(Number),
    completed_at: expect.any(Number),
    status: 'completed',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: 'scripted',
    output: [
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello there.', annotations: [], logprobs: [] }],
      },
    ],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: true,
    temperature: 0,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: 0.95,
    presence_penalty: 0,
    frequency_penalty: 0,
    truncation: 'disabled',
    usage: {
      input_tokens: expect.any(Number),
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: json.usage.input_tokens + 5,
    },
    metadata: { a: 'b' },
    tensorfold: expect.objectContaining({ token_sha: expect.any(String) }),
  });
});

test('it has the prompt and tokens of the chat completion', async () => {
  const server = testServer();
  const response = (await server.post(URL, { input: 'hi', instructions: 'Be brief.' })).json;
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ];
  const chat = (await server.chat({ messages })).json;
  expect(server.engine.requests[0]?.prompt).toEqual(server.engine.requests[1]?.prompt);
  expect(response.tensorfold.token_sha).toBe(chat.tensorfold.token_sha);
});

describe('a stream', () => {
  test('sends each item from added to done, numbered from 0, and last the whole response', async () => {
    const events = eventsOf(
      await testServer({ play: everything }).post(URL, { input: 'x', tools: [tool], stream: true }),
    );
    expect(events.map((event) => event.type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'reasoning_text.delta',
      'reasoning_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const added = events.filter((event) => event.type === 'response.output_item.added');
    const done = events.filter((event) => event.type === 'response.output_item.done');
    expect(added.map((event) => event.output_index)).toEqual([0, 1, 2]);
    expect(done.map((event) => event.output_index)).toEqual([0, 1, 2]);
    expect(added.map((event) => event.item.id)).toEqual(done.map((event) => event.item.id));
    expect(added[2].item).toMatchObject({ type: 'function_call', name: 'add', arguments: '', status: 'in_progress' });
    expect(added[2].item.call_id).toBe(done[2].item.call_id);
    expect(added[2].item.call_id).not.toBe(added[2].item.id);
    expect(events.at(-1).response.output).toEqual(done.map((event) => event.item));
    expect(events[0].response).toMatchObject({ status: 'in_progress', output: [], usage: null });
  });

  test.each([
    ['text', { rounds: [['Hello', ' there.']] }],
    ['reasoning and text', thinking],
    ['reasoning, text and a call', everything],
    ['nothing', { rounds: [] }],
  ])('equals the body: %s', async (_name, play) => {
    const server = testServer({ play });
    const whole = (await server.post(URL, { input: 'x', tools: [tool] })).json;
    const last = eventsOf(await server.post(URL, { input: 'x', tools: [tool], stream: true })).at(-1).response;
    expect(withoutIds(last.output)).toEqual(withoutIds(whole.output));
    expect(last.usage.output_tokens).toEqual(whole.usage.output_tokens);
    expect(whole.output.length).toBeGreaterThan(0);
  });

  test('ends as incomplete at the limit, and only the last item is', async () => {
    const body = { input: 'x', max_output_tokens: 5, ignore_eos: true };
    const server = testServer({ play: thinking });
    const whole = await server.post(URL, body);
    const last = eventsOf(await server.post(URL, { ...body, stream: true })).at(-1);
    expect([whole.status, last.type]).toEqual([200, 'response.incomplete']);
    for (const response of [whole.json, last.response]) {
      expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
      expect(response.output.map((item: { status: string }) => item.status)).toEqual(['completed', 'incomplete']);
    }
  });

  test('a failure is response.failed, last, with the items so far; a plain one is a 500', async () => {
    const play: Script = { rounds: [['a'], ['b'], ['c']], failure: { round: 2, error: new Error('broken') } };
    const server = testServer({ play });
    const events = eventsOf(await server.post(URL, { input: 'x', stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'server_error', type: 'server_error', message: expect.any(String) },
      },
    });
    expect(events.at(-1).response.output).toMatchObject([{ status: 'incomplete', content: [{ text: 'ab' }] }]);
    expect((await server.post(URL, { input: 'x' })).status).toBe(500);
    expect((await server.get(`${URL}/${events[0].response.id}`)).status).toBe(404);
    const atOnce = testServer({ play: { rounds: [['a']], failure: { round: 0, error: new Error('broken') } } });
    const types = eventsOf(await atOnce.post(URL, { input: 'x', stream: true })).map((event) => event.type);
    expect(types).toEqual(['response.created', 'response.in_progress', 'response.failed']);
  });
});

describe('stored responses', () => {
  test('are read as they were sent, and removed once', async () => {
    const server = testServer();
    const { json } = await server.post(URL, { input: 'hi' });
    expect((await server.get(`${URL}/${json.id}`)).json).toEqual(json);
    const headers = { 'content-type': 'application/json' };
    const deleted = await server.delete(`${URL}/${json.id}`, headers);
    expect([deleted.status, deleted.json]).toEqual([200, { id: json.id, object: 'response', deleted: true }]);
    for (const reply of [await server.get(`${URL}/${json.id}`), await server.delete(`${URL}/${json.id}`)]) {
      expect(reply.status).toBe(404);
      expect(reply.json.error.code).toBe('response_not_found');
    }
  });

  test('are there when the last event arrives', async () => {
    const server = testServer();
    const last = eventsOf(await server.post(URL, { input: 'hi', stream: true })).at(-1).response;
    expect((await server.get(`${URL}/${last.id}`)).json).toEqual(last);
  });

  test('are not kept with store: false, and cannot be continued then, nor once deleted (G22)', async () => {
    const server = testServer();
    const unkept = (await server.post(URL, { input: 'hi', store: false })).json;
    const deleted = (await server.post(URL, { input: 'hi' })).json;
    await server.delete(`${URL}/${deleted.id}`);
    for (const id of [unkept.id, deleted.id, 'resp_nope']) {
      for (const stream of [false, true]) {
        const reply = await server.post(URL, { input: 'hi', previous_response_id: id, stream });
        expect(reply.status).toBe(400);
        expect(reply.json.error).toMatchObject({
          param: 'previous_response_id',
          code: 'previous_response_not_found',
        });
      }
    }
  });

  test('continue their conversation, calls and reasoning included, instructions not (G22)', async () => {
    const server = testServer({ play: everything });
    const first = (await server.post(URL, { input: 'add 1', instructions: 'Be exact.', tools: [tool] })).json;
    const { call_id } = first.output.find((item: { type: string }) => item.type === 'function_call');
    const output = { type: 'function_call_output', call_id, output: '3' };
    const second = await server.post(URL, { previous_response_id: first.id, input: [output], tools: [tool] });
    expect(second.json.instructions).toBeNull();
    const replayed = await server.post(URL, {
      input: [{ role: 'user', content: 'add 1' }, ...first.output, output],
      tools: [tool],
    });
    const chat = await server.chat({
      tools: [{ type: 'function', function: { name: tool.name, parameters: tool.parameters } }],
      messages: [
        { role: 'user', content: 'add 1' },
        {
          role: 'assistant',
          content: 'Four.',
          reasoning_content: first.output[0].content[0].text,
          tool_calls: [{ id: call_id, type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: call_id, content: '3' },
      ],
    });
    expect([second.status, replayed.status, chat.status]).toEqual([200, 200, 200]);
    const [, asChain, asReplay, asChat] = server.engine.requests.map((request) => request.prompt);
    expect(server.engine.decode(asChain ?? [])).toBe(server.engine.decode(asChat ?? []));
    expect(asReplay).toEqual(asChain);
    expect(second.json.usage.input_tokens_details.cached_tokens).toBeGreaterThan(0);
    const third = await server.post(URL, { previous_response_id: second.json.id, input: 'and?', tools: [tool] });
    expect(third.status).toBe(200);
    await server.delete(`${URL}/${first.id}`);
    expect(
      (await server.post(URL, { previous_response_id: second.json.id, input: 'and?', tools: [tool] })).status,
    ).toBe(200);
  });

  test('drop the oldest beyond their number or their bytes', () => {
    const stored = (id: string, text: string) =>
      ({ response: { id, output: [{ id: `msg_${id}`, text }] }, conversation: [] }) as never;
    const few = new ResponseStore({ maxResponses: 2, maxBytes: 1e9 });
    for (const id of ['a', 'b', 'c']) few.add(stored(id, ''));
    expect([few.get('a'), few.item('msg_a')]).toEqual([null, null]);
    expect(few.get('c')).not.toBeNull();
    const small = new ResponseStore({ maxResponses: 100, maxBytes: 5000 });
    for (const id of ['a', 'b', 'c']) small.add(stored(id, 'x'.repeat(1000)));
    expect([small.get('a') === null, small.get('b') !== null, small.get('c') !== null]).toEqual([true, true, true]);
  });
});

test('what a stored conversation holds counts once, however many responses continue it, and is let go with the last', () => {
  const store = new ResponseStore({ maxResponses: 1000, maxBytes: 8 * 2 ** 20 });
  const prompt = { role: 'user', content: 'x'.repeat(2 ** 20) } as const;
  const turn = (id: string, before: readonly object[]) => {
    const output = [{ id: `msg_${id}`, type: 'message', text: 'y'.repeat(1000) }];
    return { response: { id, output }, conversation: [...before, ...output] } as never;
  };
  let conversation: readonly object[] = [prompt];
  for (let number = 0; number < 50; number += 1) {
    store.add(turn(`r${number}`, conversation));
    conversation = store.get(`r${number}`)!.conversation;
  }
  expect(store.get('r0')).not.toBeNull();
  expect(store.heldBytes).toBeGreaterThan(2 * (2 ** 20 + 50 * 1000));
  expect(store.heldBytes).toBeLessThan(2 * (2 ** 20 + 50 * 1200));
  for (let number = 0; number < 49; number += 1) store.delete(`r${number}`);
  expect(store.heldBytes).toBeGreaterThan(2 * 2 ** 20);
  store.delete('r49');
  expect(store.heldBytes).toBe(0);
});

test('a store of 1,024 responses drops the oldest for the next', () => {
  const store = new ResponseStore();
  for (let number = 0; number <= 1024; number += 1) {
    store.add({ response: { id: `r${number}`, output: [] }, conversation: [] } as never);
  }
  expect([store.get('r0'), store.get('r1') === null, store.get('r1024') === null]).toEqual([null, false, false]);
});

test('a call that breaks off is an incomplete item in a stream, its text a message; a body has one message', async () => {
  const text = '<tool_call>\n<function=add>\n<parameter=a>\n1\n</parameter>\nso';
  const server = testServer({ play: { rounds: [['Sure. '], ['<tool_call>'], [text.slice(11)]] } });
  const body = { input: 'x', tools: [tool] };
  const whole = (await server.post(URL, body)).json;
  expect(whole.output).toMatchObject([{ type: 'message', content: [{ text: `Sure. ${text}` }] }]);
  const { response } = eventsOf(await server.post(URL, { ...body, stream: true })).at(-1);
  expect(response.output).toMatchObject([
    { type: 'message', content: [{ text: 'Sure.' }] },
    { type: 'function_call', status: 'incomplete', arguments: '{"a":' },
    { type: 'message', content: [{ text: ` ${text}` }] },
  ]);
  expect(response.status).toBe('completed');
  // The next turn has the text, as a chat client sends it, and no call.
  for (const { id } of [whole, response]) {
    await server.post(URL, { previous_response_id: id, input: 'and?', tools: [tool] });
  }
  const messages = [
    { role: 'user', content: 'x' },
    { role: 'assistant', content: `Sure. ${text}` },
    { role: 'user', content: 'and?' },
  ];
  await server.chat({
    messages,
    tools: [{ type: 'function', function: { name: 'add', parameters: tool.parameters } }],
  });
  const prompts = server.engine.requests.slice(-3).map((request) => server.engine.decode(request.prompt));
  expect(new Set(prompts).size).toBe(1);
});

test('outputs of calls may be text or parts (G21)', async () => {
  const server = testServer();
  const outputs = [
    'ab',
    [
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b' },
    ],
    [{ type: 'output_text', text: 'ab' }],
  ];
  for (const output of [...outputs, []]) {
    const input = [
      { type: 'message', role: 'user', content: 'go' },
      { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output },
    ];
    expect((await server.post(URL, { input, tools: [tool], max_output_tokens: 4 })).status).toBe(200);
  }
  const prompts = server.engine.requests.map((request) => request.prompt.join());
  expect(new Set(prompts.slice(0, 3)).size).toBe(1);
  expect(prompts[3]).not.toBe(prompts[0]);
});

test('errors name the fields of this route', async () => {
  const server = testServer();
  for (const stream of [false, true]) {
    const beyond = await server.post(URL, { input: 'hi', max_output_tokens: 100_000, stream });
    expect(beyond.status).toBe(400);
    expect(beyond.json.error).toMatchObject({ param: 'max_output_tokens', code: 'context_length_exceeded' });
    expect(beyond.json.error.message).toContain('max_output_tokens of at most');
    const format = await server.post(URL, { input: 'hi', text: { format: { type: 'json_object' } }, stream });
    expect(format.json.error.param).toBe('text.format');
    const choice = await server.post(URL, { input: 'hi', tool_choice: 'required', stream });
    expect([choice.status, choice.json.error.param]).toEqual([400, 'tool_choice']);
  }
});

describe('--compat agents', () => {
  const config = { compatAgents: true };
  const agent = {
    input: 'hi',
    include: ['reasoning.encrypted_content'],
    tools: [tool, { type: 'web_search' }, { type: 'namespace', name: 'mcp' }],
  };

  test('skips what is not run here and says so; without it all of that is a 400', async () => {
    const reply = await testServer({ config }).post(URL, agent);
    expect(reply.status).toBe(200);
    expect(reply.headers['x-tensorfold-skipped']).toBe(
      'tools[1] (web_search), tools[2] (namespace), include[0] (reasoning.encrypted_content)',
    );
    expect(reply.json.tools).toHaveLength(1);
    expect((await testServer().post(URL, agent)).status).toBe(400);
  });

  test('a forced tool of such a type is still a 400', async () => {
    const reply = await testServer({ config }).post(URL, { ...agent, tool_choice: { type: 'web_search' } });
    expect(reply.status).toBe(400);
  });

  test('a reference to a stored item is that item', async () => {
    const server = testServer({ config });
    const first = (await server.post(URL, { input: 'hi' })).json;
    const turn = (item: unknown) => ({
      input: [{ role: 'user', content: 'hi' }, item, { role: 'user', content: 'bye' }],
    });
    expect((await server.post(URL, turn({ type: 'item_reference', id: first.output[0].id }))).status).toBe(200);
    expect((await server.post(URL, turn(first.output[0]))).status).toBe(200);
    expect(server.engine.requests[1]?.prompt).toEqual(server.engine.requests[2]?.prompt);
    expect((await server.post(URL, turn({ type: 'item_reference', id: 'msg_nope' }))).status).toBe(400);
  });
});

describe('openai-node', () => {
  test('creates, streams, retrieves and deletes', async () => {
    const server = testServer({ play: everything });
    const openai = new OpenAI({ baseURL: `${await server.listen()}/v1`, apiKey: 'any' });
    const created = await openai.responses.create({ model: 'scripted', input: 'hi' });
    expect(created.output_text).toContain('Four.');
    const stream = openai.responses.stream({
      model: 'scripted',
      input: 'hi',
      tools: [{ ...tool, strict: false } as never],
    });
    const deltas: string[] = [];
    stream.on('response.output_text.delta', (event) => deltas.push(event.delta));
    const final = await stream.finalResponse();
    expect(deltas.join('')).toBe('Four.');
    expect(final.output.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call']);
    expect((await openai.responses.retrieve(final.id)).id).toBe(final.id);
    await openai.responses.delete(final.id);
    await expect(openai.responses.retrieve(final.id)).rejects.toMatchObject({ status: 404 });
  });
});
