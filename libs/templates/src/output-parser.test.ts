import type { TokenPiece } from '@tensorfold/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chatTemplateOf, type FoldedReply, piecesOf, readEvents, readReply, tool } from '../tests/support.ts';
import { loadTemplate } from './chat-template.ts';
import type { ParserOptions } from './types.ts';

const add = tool('add', { a: 'integer', b: 'integer' });
const addCall = (a: number, b: number) =>
  `<tool_call>\n<function=add>\n<parameter=a>\n${a}\n</parameter>\n<parameter=b>\n${b}\n</parameter>\n</function>\n</tool_call>`;
const vocabulary = ['<think>', '</think>', '<tool_call>', '</tool_call>'];

type Options = ParserOptions & { readonly reason?: 'stop' | 'length' };

/** The reply to `text`, the same for every vocabulary and cutting tried. */
function replyTo(
  family: string,
  text: string,
  options: Options = {},
  tokens: readonly string[] = vocabulary,
): FoldedReply {
  const known = chatTemplateOf(family, tokens).template;
  const pieces = piecesOf(text, tokens);
  const whole = readReply(known, [pieces], options);
  expect(
    readReply(
      known,
      pieces.map((piece) => [piece]),
      options,
    ),
  ).toEqual(whole);
  const { template: unknown } = chatTemplateOf(family);
  for (const cut of [[text], [...text], chunks(text, 4), chunks(text, 7)]) {
    const batches = cut.map((part): TokenPiece[] => [{ id: 1, text: part }]);
    expect({ ...readReply(unknown, batches, options), reasoningTokens: 0 }).toEqual({ ...whole, reasoningTokens: 0 });
  }
  return whole;
}

function chunks(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

describe('reasoning', () => {
  test('a think block and the blank line after it are no part of the answer', () => {
    const reply = replyTo('qwen3', '<think>\nso <4>\n</think>\n\nFour.');
    expect(reply).toMatchObject({ reasoning: 'so <4>', content: 'Four.', finish: 'stop' });
    expect(reply.reasoningTokens).toBe('\nso <4>\n'.length + 2);
  });

  test('a block that the prompt opened begins with the reply', () => {
    expect(replyTo('qwen3.5', 'so\n</think>\n\nFour.', { thinkingStartsOpen: true })).toMatchObject({
      reasoning: 'so',
      content: 'Four.',
    });
  });

  test('a block that is never closed is reasoning to the end', () => {
    const reply = replyTo('qwen3.5', 'one two three ', { thinkingStartsOpen: true, reason: 'length' });
    expect(reply).toMatchObject({ reasoning: 'one two three ', content: '', finish: 'length', reasoningTokens: 14 });
  });

  test('a closing marker spelled in ordinary text ends nothing where the marker is a token', () => {
    const { template } = chatTemplateOf('qwen3.5', vocabulary);
    const pieces: TokenPiece[] = [
      { id: 1, text: 'I write </think> as text' },
      ...piecesOf('</think>\n\nDone.', vocabulary),
    ];
    const reply = readReply(template, [pieces], { thinkingStartsOpen: true });
    expect(reply).toMatchObject({ reasoning: 'I write </think> as text', content: 'Done.', reasoningTokens: 2 });
  });

  test('a think marker inside the answer is text', () => {
    expect(replyTo('qwen3', 'The tag <think> opens.')).toMatchObject({
      reasoning: '',
      content: 'The tag <think> opens.',
      reasoningTokens: 0,
    });
  });

  test('a reply without a block keeps its blanks', () => {
    expect(replyTo('qwen3', '\n a \n')).toMatchObject({ reasoning: '', content: '\n a \n' });
  });

  test('Gemma thinks in a channel', () => {
    const reply = replyTo('gemma4', '<|channel>thought\nso\n<channel|>Four.', {}, ['<|channel>', '<channel|>']);
    expect(reply).toMatchObject({ reasoning: 'so', content: 'Four.' });
  });

  test('gpt-oss thinks in its analysis channel', () => {
    const text = '<|channel|>analysis<|message|>so<|end|><|start|>assistant<|channel|>final<|message|>Four.';
    expect(replyTo('gpt-oss', text, {}, [])).toMatchObject({ reasoning: 'so', content: 'Four.', finish: 'stop' });
  });
});

describe('calls', () => {
  test('several complete calls come out one by one', () => {
    expect(replyTo('qwen3.5', `${addCall(1, 2)}\n${addCall(3, 4)}`, { tools: [add] })).toMatchObject({
      content: '',
      calls: [
        { name: 'add', arguments: '{"a":1,"b":2}' },
        { name: 'add', arguments: '{"a":3,"b":4}' },
      ],
      finish: 'tool_calls',
    });
  });

  test('a call cut by the limit is no call', () => {
    const text = '<tool_call>\n<function=write>\n<parameter=path>\n/a\n</parameter>\n<parameter=text>\nhello wor';
    const reply = replyTo('qwen3.5', text, {
      tools: [tool('write', { path: 'string', text: 'string' })],
      reason: 'length',
    });
    expect(reply).toMatchObject({ calls: [], content: text, finish: 'length' });
  });

  test('a whole call before a cut one is returned, and the reply is cut all the same', () => {
    const reply = replyTo('qwen3.5', `${addCall(1, 2)}\n<tool_call>\n<function=add>`, {
      tools: [add],
      reason: 'length',
    });
    expect(reply).toMatchObject({ calls: [{ name: 'add' }], finish: 'length' });
  });

  test('an unoffered call among others keeps its text', () => {
    const nope = '<tool_call>\n<function=nope>\n<parameter=q>\nx\n</parameter>\n</function>\n</tool_call>';
    const time = '<tool_call>\n<function=get_time>\n</function>\n</tool_call>';
    const reply = replyTo('qwen3.5', `${time}\n${nope}\n${addCall(1, 2)}`, { tools: [tool('get_time'), add] });
    expect(reply.calls).toEqual([
      { name: 'get_time', arguments: '{}' },
      { name: 'add', arguments: '{"a":1,"b":2}' },
    ]);
    expect(reply.content).toBe(nope);
  });

  test('a malformed call is content', () => {
    for (const text of [
      '<tool_call>\n{"name": "add", "arguments": {"a": }}\n</tool_call>',
      '<tool_call>hm</tool_call> ok',
    ]) {
      expect(replyTo('qwen3', text, { tools: [add] })).toMatchObject({ content: text, calls: [], finish: 'stop' });
    }
  });

  test('without tools a call is content', () => {
    expect(replyTo('qwen3.5', addCall(1, 2))).toMatchObject({ content: addCall(1, 2), calls: [] });
  });

  test('text before a call is content without the blank lines between', () => {
    expect(replyTo('qwen3.5', `I add.\n\n${addCall(1, 2)}`, { tools: [add] })).toMatchObject({
      content: 'I add.',
      calls: [{ name: 'add' }],
    });
  });

  test('without parallel calls the first valid one is the only one', () => {
    const nope = '<tool_call>\n<function=nope>\n</function>\n</tool_call>';
    const reply = replyTo('qwen3.5', `${nope}\n${addCall(1, 2)}\n${addCall(3, 4)}`, {
      tools: [add],
      parallelToolCalls: false,
    });
    expect(reply).toMatchObject({
      content: nope,
      calls: [{ name: 'add', arguments: '{"a":1,"b":2}' }],
      finish: 'tool_calls',
    });
  });

  test('arguments have the types of the schema, and what does not fit stays text', () => {
    const types = {
      i: 'integer',
      n: 'number',
      b: 'boolean',
      l: 'array',
      o: 'object',
      z: 'null',
      s: 'string',
      bad: 'integer',
    };
    const values: Record<string, string> = {
      i: '3',
      n: '1.0',
      b: 'true',
      l: '[1, "x"]',
      o: '{"k": 1}',
      z: 'null',
      s: ' 7 \n',
      bad: 'four',
      free: '5',
    };
    const body = Object.entries(values)
      .map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`)
      .join('');
    const reply = replyTo('qwen3.5', `<tool_call>\n<function=f>\n${body}</function>\n</tool_call>`, {
      tools: [tool('f', types)],
    });
    expect(reply.calls[0]!.arguments).toBe(
      '{"i":3,"n":1.0,"b":true,"l":[1, "x"],"o":{"k": 1},"z":null,"s":" 7 \\n","bad":"four","free":"5"}',
    );
  });

  test('a closing marker inside an argument is the argument’s text', () => {
    const json = '{"name": "w", "arguments": {"t": "a </tool_call> b"}}';
    const reply = replyTo('qwen3', `<tool_call>\n${json}\n</tool_call>`, { tools: [tool('w', { t: 'string' })] });
    expect(reply.calls).toEqual([{ name: 'w', arguments: '{"t": "a </tool_call> b"}' }]);
  });

  test('an odd quote in a malformed call does not swallow the next one', () => {
    const reply = replyTo(
      'qwen3',
      '<tool_call>{"name: 1}</tool_call>\n<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
      {
        tools: [add],
      },
    );
    expect(reply).toMatchObject({
      content: '<tool_call>{"name: 1}</tool_call>',
      calls: [{ name: 'add', arguments: '{"a": 1}' }],
    });
  });

  test('a call whose closing marker the end of turn replaced is whole', () => {
    const text = addCall(1, 2).replace('\n</tool_call>', '');
    expect(replyTo('qwen3.5', text, { tools: [add] })).toMatchObject({
      calls: [{ name: 'add' }],
      finish: 'tool_calls',
    });
  });

  test('a JSON call without the tag after it is whole; what follows is content, and a limit there cuts no call', () => {
    const call = '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}';
    for (const reason of ['stop', 'length'] as const) {
      expect(replyTo('qwen3', `${call}\nYou can use`, { tools: [add], reason })).toMatchObject({
        calls: [{ name: 'add', arguments: '{"a": 1, "b": 2}' }],
        content: 'You can use',
        finish: 'tool_calls',
      });
    }
    expect(replyTo('qwen3', `${call} so</tool_call>.`, { tools: [add] }).content).toBe('so.');
  });

  test('a call whose end tag the limit cut is none, as its arguments may go on', () => {
    const text = '<tool_call>add<arg_key>a</arg_key><arg_value>1</arg_value>';
    expect(replyTo('glm-5.2', text, { tools: [add], reason: 'length' }, [])).toMatchObject({
      calls: [],
      content: text,
    });
    expect(replyTo('glm-5.2', text, { tools: [add] }, [])).toMatchObject({ calls: [{ arguments: '{"a":1}' }] });
  });
});

describe('pieces of a call', () => {
  const write = tool('write', { path: 'string', size: 'integer' });
  /** Events of each text as it comes, ids and statistics left out. */
  function told(family: string, texts: readonly string[], options: Options = {}): unknown[][] {
    const parser = chatTemplateOf(family, vocabulary).template.createOutputParser({ tools: [write], ...options });
    return texts.map((text) =>
      parser
        .push({ type: 'tokens', pieces: piecesOf(text, vocabulary) })
        .map((event) => ('text' in event ? event.text : 'argumentsText' in event ? event.argumentsText : event.type)),
    );
  }

  test('JSON arguments go out as they are written, with the name; the last brace comes with the end', () => {
    expect(
      told('qwen3', [
        'Hm. <tool_call>\n{"name": "wri',
        'te", "argum',
        'ents": {"pa',
        'th": "/a',
        ' b"}',
        '}',
        '\n</tool_call>',
      ]),
    ).toEqual([['Hm.'], [], ['tool-call-start', '{"pa'], ['th": "/a'], [' b"'], ['}', 'tool-call-end'], []]);
  });

  test('a string between tags is told as it comes, another type when it is whole', () => {
    expect(
      told('qwen3.5', [
        '<tool_call>\n<function=write>\n',
        '<parameter=path>\n/"a',
        '\n</param',
        'eter-b',
        '\n</parameter>\n<parameter=size>\n1',
        '2\n</parameter>\n</function>\n',
        '</tool_call>',
      ]),
    ).toEqual([
      [],
      ['tool-call-start', '{"path":"/\\"a'],
      [],
      ['\\n</parameter-b'],
      ['","size":'],
      [],
      ['12}', 'tool-call-end'],
    ]);
  });

  test('one that breaks off is abandoned, and its text is content', () => {
    expect(told('qwen3', ['<tool_call>\n{"name": "write", "arguments": {"path": ', '}} ', 'so'])).toEqual([
      ['tool-call-start', '{"path": '],
      ['tool-call-abandon', '<tool_call>\n{"name": "write", "arguments": {"path": }}'],
      [' so'],
    ]);
    const events = readEvents(
      chatTemplateOf('qwen3', vocabulary).template,
      [piecesOf('<tool_call>\n{"name": "write", "arguments": {"path": "/a', vocabulary)],
      { tools: [write], reason: 'length' },
    );
    expect(events.map(({ type }) => type)).toEqual([
      'tool-call-start',
      'tool-call-delta',
      'tool-call-abandon',
      'content-delta',
      'finish',
    ]);
    expect(events.at(-1)).toMatchObject({ reason: 'length' });
  });

  test('one that is not offered is never told', () => {
    const { template } = chatTemplateOf('qwen3', vocabulary);
    const text = '<tool_call>\n{"name": "nope", "arguments": {"path": "/a"}}\n</tool_call>';
    const events = readEvents(template, [piecesOf(text, vocabulary)], { tools: [write] });
    expect(events).toMatchObject([
      { type: 'content-delta', text },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test('without parallel calls one is told when it is whole', () => {
    const texts = ['<tool_call>\n{"name": "write", "arguments": {"path": "/a', '"}}\n', '</tool_call>'];
    expect(told('qwen3', texts, { parallelToolCalls: false })).toEqual([
      [],
      ['tool-call-start', '{"path": "/a"}', 'tool-call-end'],
      [],
    ]);
  });
});

describe('calls while thinking', () => {
  const read = tool('read', { path: 'string' });
  const call = '<tool_call>\n<function=read>\n<parameter=path>\nnotes.txt\n</parameter>\n</function>\n</tool_call>';
  const options = { tools: [read], thinkingStartsOpen: true };

  test('a call in a block that is never closed is the reply’s call', () => {
    expect(replyTo('qwen3.5', `I should read it.\n${call}`, options)).toMatchObject({
      reasoning: 'I should read it.',
      content: '',
      calls: [{ name: 'read', arguments: '{"path":"notes.txt"}' }],
      finish: 'tool_calls',
    });
  });

  test('a call only mentioned, with the block closed after it, stays reasoning', () => {
    for (const mention of ['<tool_call><function=read></function></tool_call>', call]) {
      expect(replyTo('qwen3.5', `Format: ${mention}, fine.</think>\n\nUse read.`, options)).toMatchObject({
        reasoning: `Format: ${mention}, fine.`,
        content: 'Use read.',
        calls: [],
        finish: 'stop',
      });
    }
  });

  test('reasoning tokens end where the call starts', () => {
    const { template } = chatTemplateOf('qwen3.5', vocabulary);
    expect(readReply(template, [piecesOf(`abc${call}`, vocabulary)], options).reasoningTokens).toBe(3);
  });
});

describe('syntaxes', () => {
  const weather = tool('get_weather', { city: 'string', days: 'integer' });
  const expected = { name: 'get_weather', arguments: { city: 'Oslo "x"', days: 3 } };
  const written: Record<string, string> = {
    qwen3: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo \\"x\\"", "days": 3}}\n</tool_call>',
    'qwen3.5':
      '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo "x"\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>',
    'glm-5.2':
      '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo "x"</arg_value><arg_key>days</arg_key><arg_value>3</arg_value></tool_call>',
    gemma4: '<|tool_call>call:get_weather{city:<|"|>Oslo "x"<|"|>,days:3}<tool_call|>',
    'gpt-oss':
      '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Oslo \\"x\\"", "days": 3}<|call|>',
    'deepseek-v3.1':
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo \\"x\\"", "days": 3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    'mistral-small-3.2': '[TOOL_CALLS]get_weather[CALL_ID]abcdefghi[ARGS]{"city": "Oslo \\"x\\"", "days": 3}',
  };

  test.each(Object.entries(written))('%s', (family, text) => {
    const reply = replyTo(family, text, { tools: [weather] }, []);
    expect(reply.calls.map((each) => ({ ...each, arguments: JSON.parse(each.arguments) as unknown }))).toEqual([
      expected,
    ]);
    expect(reply).toMatchObject({ content: '', finish: 'tool_calls' });
  });

  test.each(Object.entries(written))('%s: the template’s own rendered call is read back', (family, text) => {
    const { template } = chatTemplateOf(family);
    const forced = template.forcedToolCall([weather], ['get_weather'])!;
    const opener = forced.opener.map((piece) => piece.text).join('');
    // Harmony's header may name the recipient before the channel or after it.
    if (family !== 'gpt-oss') expect(text.startsWith(`${opener}get_weather${forced.nameEnd}`)).toBe(true);
    expect(template.supportsTools).toBe(family !== 'deepseek-v3.1');
  });
});

test('a template that writes no calls gets Hermes calls: forced up to the arguments, and read back', () => {
  const plain = loadTemplate({ source: null, specialTokens: {}, tokenId: () => null });
  expect(plain.supportsTools).toBe(false);
  const forced = plain.forcedToolCall([add], ['add'])!;
  const opener = forced.opener.map((piece) => piece.text).join('');
  const text = `${opener}add${forced.nameEnd}a": 1, "b": 2}}\n</tool_call>`;
  const reply = readReply(plain, [piecesOf(text)], { tools: [add] });
  expect(reply).toMatchObject({ calls: [{ name: 'add', arguments: '{"a": 1, "b": 2}' }], finish: 'tool_calls' });
  expect(readReply(plain, [piecesOf(text)], {})).toMatchObject({ calls: [], content: text });
});

describe('any cutting of a reply gives the same events', () => {
  const texts = [
    `<think>\nso ${addCall(1, 2)} </think>\n\nI add.\n${addCall(1, 2)}\n${addCall(3, 4)}\n`,
    `<think>a<tool_call><function=nope></tool_call>b\n${addCall(5, 6)} tail`,
    '<tool_call>\n{"name": "add", "arguments": {"a": "<tool_call>"}}\n</tool_call> </tool_call> <think>',
  ];
  const cases = fc.tuple(
    fc.constantFrom('qwen3', 'qwen3.5'),
    fc.constantFrom(...texts),
    fc.boolean(),
    fc.constantFrom('stop', 'length'),
  );

  test('by events, the pieces the same', () => {
    fc.assert(
      fc.property(
        cases,
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        ([family, text, parallel, reason], sizes) => {
          const { template } = chatTemplateOf(family, vocabulary);
          const options = { tools: [add], parallelToolCalls: parallel, reason } as Options;
          const pieces = piecesOf(text, vocabulary);
          const batches: TokenPiece[][] = [];
          for (let at = 0; at < pieces.length; at += batches.at(-1)!.length)
            batches.push(pieces.slice(at, at + sizes.next().value!));
          expect(readReply(template, batches, options)).toEqual(readReply(template, [pieces], options));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('by pieces, the markers found by text', () => {
    fc.assert(
      fc.property(
        cases,
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        ([family, text, parallel, reason], sizes) => {
          const { template } = chatTemplateOf(family);
          const options = { tools: [add], parallelToolCalls: parallel, reason } as Options;
          const pieces: TokenPiece[] = [];
          for (let at = 0; at < text.length; at += pieces.at(-1)!.text.length)
            pieces.push({ id: 1, text: text.slice(at, at + sizes.next().value!) });
          const blank = { reasoningTokens: 0 };
          expect({ ...readReply(template, [pieces], options), ...blank }).toEqual({
            ...readReply(template, [[{ id: 1, text }]], options),
            ...blank,
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});
