import { RequestError } from '@tensorfold/protocol';
import { expect, test } from 'vitest';
import { loadTemplate } from './index.ts';
import { chatTemplateOf } from '../tests/support.ts';
import type { ChatTemplate, RenderRequest, WireMessage } from './types.ts';

function templateOf(source: string): ChatTemplate {
  return loadTemplate({ source, specialTokens: {}, tokenId: () => null });
}

function rendered(template: ChatTemplate, request: RenderRequest): string {
  return template
    .render(request)
    .pieces.map(({ text }) => text)
    .join('');
}

const lines = '{% for m in messages %}{{ m.role }}:{{ m.content }}|{% endfor %}';

test('only leading system and developer messages merge, in order, into one', () => {
  const messages = [
    { role: 'developer', content: 'A' },
    { role: 'system', content: [{ type: 'text', text: 'B' }] },
    { role: 'user', content: 'q' },
    { role: 'developer', content: 'C' },
    { role: 'system', content: 'D' },
  ];
  const sent = structuredClone(messages);
  expect(rendered(templateOf(lines), { messages })).toBe('system:A\n\nB|user:q|system:C|system:D|');
  expect(messages).toEqual(sent);
});

test('a later system message is a user message where the template cannot render it', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Go' },
  ];
  const text = rendered(chatTemplateOf('qwen3.5').template, { messages });
  expect(text).toContain('<|im_start|>user\nBe brief.<|im_end|>');
  expect(rendered(chatTemplateOf('qwen3').template, { messages })).toContain('<|im_start|>system\nBe brief.<|im_end|>');
});

test('user messages in a row are one where roles must alternate', () => {
  const messages = [
    { role: 'user', content: 'One' },
    { role: 'user', content: 'Two' },
  ];
  expect(rendered(chatTemplateOf('mistral-small-3.2').template, { messages })).toContain('[INST]One\n\nTwo[/INST]');
});

test('text parts are the joined text', () => {
  const parts = [
    { type: 'text', text: 'First. ' },
    { type: 'text', text: 'Second.' },
  ];
  const { template } = chatTemplateOf('qwen3');
  const render = (content: WireMessage['content']) => rendered(template, { messages: [{ role: 'user', content }] });
  expect(render(parts)).toBe(render('First. Second.'));
});

// G01
const loop =
  '{%- for m in messages %}{%- if m.tool_calls %}{%- for c in m.tool_calls %}<function={{ c.function.name }}>{%- for k, v in c.function.arguments|items %}<parameter={{ k }}>{{ v }}</parameter>{%- endfor %}</function>{%- endfor %}{%- else %}{{ m.role }}:{{ m.content }}|{%- endif %}{%- endfor %}';
const json =
  '{%- for m in messages %}{%- for c in m.tool_calls or [] %}{{ c.function.arguments|tojson }}{%- endfor %}{%- endfor %}';

function callWith(text: string): WireMessage[] {
  return [
    { role: 'user', content: 'q' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'lookup', arguments: text } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'ok' },
  ];
}

test('argument text reaches the template as an object', () => {
  const messages = callWith('{"city":"Par<is","n":2}');
  expect(rendered(templateOf(loop), { messages })).toBe(
    'user:q|<function=lookup><parameter=city>Par<is</parameter><parameter=n>2</parameter></function>tool:ok|',
  );
  expect(rendered(templateOf(json), { messages })).toBe('{"city": "Par<is", "n": 2}');
  expect(messages).toEqual(callWith('{"city":"Par<is","n":2}'));
});

test('numbers keep the form they were written in', () => {
  const messages = callWith('{"a":1.0,"b":1,"c":12345678901234567890,"d":1e21,"e":-0.0}');
  expect(rendered(templateOf(json), { messages })).toBe(
    '{"a": 1.0, "b": 1, "c": 12345678901234567890, "d": 1e+21, "e": -0.0}',
  );
});

test('argument text that is no JSON object is refused by its place', () => {
  for (const text of ['{"city":', '5', '[1]', 'x']) {
    const render = () => rendered(templateOf(loop), { messages: callWith(text) });
    expect(render).toThrow(RequestError);
    expect(render).toThrow(/^messages\[1\]\.tool_calls\[0\]\.function\.arguments must be/);
  }
});

test('arguments go as text to a template that joins them to text', () => {
  expect(rendered(chatTemplateOf('deepseek-v3.1').template, { messages: callWith('{"n":2}') })).toContain(
    'lookup<｜tool▁sep｜>{"n":2}<',
  );
});

test('call ids of any length are taken where the template wants nine characters', () => {
  const text = rendered(chatTemplateOf('mistral-small-3.2').template, { messages: callWith('{}') });
  const [, id] = /\[CALL_ID\]([a-z0-9]{9})\[ARGS\]/.exec(text)!;
  expect(text).toContain(`[TOOL_RESULTS]${id}[TOOL_CONTENT]ok`);
});

test('reasoning goes back under the name that the template reads', () => {
  const messages = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: 'a', reasoning: 'because' },
  ];
  expect(rendered(templateOf('{% for m in messages %}{{ m.reasoning_content }}{% endfor %}'), { messages })).toBe(
    'because',
  );
});

test('a template that refuses is a 400 with its words', () => {
  const render = () => chatTemplateOf('qwen3.5').template.render({ messages: [{ role: 'assistant', content: 'x' }] });
  expect(render).toThrow(RequestError);
  expect(render).toThrow('No user query found in messages.');
});

test('without a template: ChatML where the vocabulary has it, else lines', () => {
  const messages = [{ role: 'user', content: 'x' }];
  const load = (tokenId: () => number | null) => loadTemplate({ source: null, specialTokens: {}, tokenId });
  expect(
    rendered(
      load(() => 7),
      { messages },
    ),
  ).toBe('<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n');
  expect(
    rendered(
      load(() => null),
      { messages },
    ),
  ).toBe('user: x\nassistant:');
});
