import { describe, expect, test } from 'vitest';
import { StreamError, TensorFold, TruncatedError, type ChatStreamEvent } from '../src/index.ts';
import { bodyOf, delta, fakeFetch, json, sse, usage } from './fake-server.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
const startOf = (index: number, name: string) =>
  call(index, { id: `c${index}`, type: 'function', function: { name, arguments: '' } });
const args = (index: number, text: string) => call(index, { function: { arguments: text } });

async function eventsOf(stream: AsyncIterable<ChatStreamEvent>): Promise<ChatStreamEvent[]> {
  const events: ChatStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

test('a stream gives typed events and the whole reply', async () => {
  const { fetch, sent } = fakeFetch(() =>
    sse(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'Hel' }),
      delta({ content: 'lo' }),
      delta({}, 'stop', { usage, tensorfold: { token_sha: 'abc' } }),
      '[DONE]',
    ),
  );
  const stream = new TensorFold({ fetch, apiKey: 'k' }).chat.stream({ messages });
  expect(await eventsOf(stream)).toEqual([
    { type: 'reasoning', delta: 'hm', snapshot: 'hm' },
    { type: 'text', delta: 'Hel', snapshot: 'Hel' },
    { type: 'text', delta: 'lo', snapshot: 'Hello' },
    { type: 'finish', reason: 'stop', toolCalls: [] },
  ]);
  expect(await stream.final()).toMatchObject({
    choices: [{ message: { content: 'Hello', reasoning_content: 'hm' }, finish_reason: 'stop' }],
    usage,
    tensorfold: { token_sha: 'abc' },
  });
  expect(sent[0]).toMatchObject({
    url: 'http://127.0.0.1:8080/v1/chat/completions',
    method: 'POST',
    body: { stream: true },
  });
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer k');
});

test('final alone reads the stream', async () => {
  const { fetch } = fakeFetch(() => sse(delta({ content: 'a' }), delta({}, 'length'), '[DONE]'));
  const reply = await new TensorFold({ fetch }).chat.stream({ messages }).final();
  expect(reply.choices[0]).toMatchObject({ message: { content: 'a' }, finish_reason: 'length' });
});

test('interleaved calls keep their own arguments', async () => {
  const { fetch } = fakeFetch(() =>
    sse(
      startOf(0, 'a'),
      startOf(1, 'b'),
      args(1, '{"x"'),
      args(0, '{"y"'),
      args(1, ':1}'),
      args(0, ':2}'),
      delta({}, 'tool_calls'),
    ),
  );
  const reply = await new TensorFold({ fetch }).chat.stream({ messages }).final();
  expect(reply.choices[0]?.message.tool_calls?.map((each) => each.function)).toEqual([
    { name: 'a', arguments: '{"y":2}' },
    { name: 'b', arguments: '{"x":1}' },
  ]);
});

describe('a stream that does not end well', () => {
  test('without a finish chunk it is truncated', async () => {
    const { fetch } = fakeFetch(() => sse(delta({ content: 'a' })));
    const stream = new TensorFold({ fetch }).chat.stream({ messages });
    await expect(eventsOf(stream)).rejects.toThrow(TruncatedError);
    await expect(stream.final()).rejects.toThrow(TruncatedError);
  });

  test('with an error event it is a StreamError', async () => {
    const { fetch } = fakeFetch(() =>
      sse(
        delta({ content: 'a' }),
        { error: { message: 'a round failed', type: 'server_error', param: null, code: null } },
        '[DONE]',
      ),
    );
    const stream = new TensorFold({ fetch }).chat.stream({ messages });
    await expect(eventsOf(stream)).rejects.toThrow(StreamError);
    await expect(stream.final()).rejects.toThrow('a round failed');
  });

  test('a loop that is left cancels the body', async () => {
    let isCancelled = false;
    const body = bodyOf([`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`], 'hang');
    const { fetch } = fakeFetch(() => {
      const response = new Response(body);
      const reader = body.getReader();
      reader.releaseLock();
      return new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(delta({ content: 'a' }))}\n\n`));
          },
          cancel() {
            isCancelled = true;
          },
        }),
        { headers: response.headers },
      );
    });
    for await (const event of new TensorFold({ fetch }).chat.stream({ messages })) {
      expect(event.type).toBe('text');
      break;
    }
    expect(isCancelled).toBe(true);
  });
});

test('events go through a web stream', async () => {
  const { fetch } = fakeFetch(() => sse(delta({ content: 'a' }), delta({}, 'stop')));
  const reader = new TensorFold({ fetch }).chat.stream({ messages }).toReadableStream().getReader();
  expect((await reader.read()).value).toMatchObject({ type: 'text', delta: 'a' });
  expect((await reader.read()).value).toMatchObject({ type: 'finish' });
  expect((await reader.read()).done).toBe(true);
});

describe('runTools', () => {
  const answer = sse.bind(null, delta({ content: 'done' }), delta({}, 'stop'), '[DONE]');

  test('runs a tool once, after the reply ended in calls, and goes on (G28)', async () => {
    const order: string[] = [];
    const { fetch, sent } = fakeFetch((_sent, index) => {
      if (index > 0) return answer();
      const frames = [startOf(0, 'set'), args(0, '{"n":1}'), args(0, ' '), delta({}, 'tool_calls'), '[DONE]'];
      const text = frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`);
      return new Response(bodyOf([text[0] ?? '', text[1] ?? '', 30, ...text.slice(2)]));
    });
    const run = (value: unknown) => (order.push(`run ${JSON.stringify(value)}`), { ok: true });
    const result = await new TensorFold({ fetch }).runTools(
      { messages, tools: { set: { run } } },
      { onEvent: (event) => order.push(event.type) },
    );
    expect(order.filter((entry) => entry.startsWith('run'))).toEqual(['run {"n":1}']);
    expect(order.indexOf('run {"n":1}')).toBeGreaterThan(order.indexOf('finish'));
    expect(result.completion.choices[0]?.message.content).toBe('done');
    expect(sent[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'c0' }] },
      { role: 'tool', tool_call_id: 'c0', content: '{"ok":true}' },
    ]);
  });

  test('a call that broke off in the middle of a reply is none; the others are', async () => {
    const { fetch } = fakeFetch(() =>
      sse(
        startOf(0, 'a'),
        args(0, '{"x": '),
        delta({ content: '<tool_call>{"name": "a", "arguments": {"x": }}</tool_call>' }),
        startOf(1, 'b'),
        args(1, '{"y": 1}'),
        delta({}, 'tool_calls', { usage }),
        '[DONE]',
      ),
    );
    const reply = await new TensorFold({ fetch }).chat.stream({ messages }).final();
    expect(reply.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'b', arguments: '{"y": 1}' } }]);
  });

  test('does not run a tool of a reply that broke off (G28)', async () => {
    let numRuns = 0;
    const { fetch } = fakeFetch(() => sse(startOf(0, 'set'), args(0, '{"n":1}')));
    const running = new TensorFold({ fetch }).runTools({ messages, tools: { set: { run: () => (numRuns += 1) } } });
    await expect(running).rejects.toThrow(TruncatedError);
    expect(numRuns).toBe(0);
  });

  test('tells the model of unknown tools, refusals and failures', async () => {
    const { fetch, sent } = fakeFetch((_sent, index) =>
      index > 0
        ? answer()
        : sse(startOf(0, 'toString'), startOf(1, 'no'), startOf(2, 'fails'), args(2, '{}'), delta({}, 'tool_calls')),
    );
    const fails = () => {
      throw new Error('out of paper');
    };
    await new TensorFold({ fetch }).runTools(
      { messages, tools: { no: { run: fails }, fails: { run: fails } } },
      { approve: (each) => each.function.name !== 'no' },
    );
    const contents = sent[1]?.body.messages.slice(2).map((message: { content: string }) => message.content);
    expect(contents).toEqual([
      'error: there is no tool toString',
      'error: the user refused this call',
      'error: out of paper',
    ]);
  });

  test('gives up after its rounds', async () => {
    const { fetch, sent } = fakeFetch(() => sse(startOf(0, 'set'), args(0, '{}'), delta({}, 'tool_calls')));
    await new TensorFold({ fetch }).runTools({ messages, tools: { set: { run: () => 'x' } } }, { maxRounds: 2 });
    expect(sent).toHaveLength(3);
  });
});

test('create gives the body', async () => {
  const { fetch } = fakeFetch(() => json({ id: 'x' }));
  expect(await new TensorFold({ fetch }).chat.create({ messages })).toEqual({ id: 'x' });
});
