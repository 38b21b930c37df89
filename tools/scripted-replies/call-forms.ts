// How models write calls, one form a syntax: a small chat template that renders it, and replies as the tokens of a model.

/** A token of a reply. A marker is one token of the vocabulary; other text may be cut anywhere. */
export interface ReplyToken {
  readonly text: string;
  readonly isMarker: boolean;
}

export interface WrittenCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface CallForm {
  readonly name: string;
  readonly think: { readonly open: string; readonly close: string; readonly label: string };
  /** Tokens of the vocabulary. */
  readonly markers: readonly string[];
  readonly template: string;
  /** Calls as one turn has them. */
  writeCalls(calls: readonly WrittenCall[]): ReplyToken[];
  writeThought(text: string): ReplyToken[];
  writeAnswer(text: string): ReplyToken[];
  /** Arguments stand between tags, so a value is text that the schema gives its type. */
  readonly isTagged: boolean;
}

const text = (...texts: string[]): ReplyToken => ({ text: texts.join(''), isMarker: false });
const marker = (text: string): ReplyToken => ({ text, isMarker: true });

const chatml = (call: string, think = '<think>\\n'): string =>
  `{%- if tools %}<|im_start|>system
{{ tools | tojson }}<|im_end|>
{% endif %}{%- for m in messages %}<|im_start|>{{ m.role }}
{{ m.content or '' }}{%- for c in m.tool_calls or [] %}${call}{%- endfor %}<|im_end|>
{% endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking %}{{ '${think}' }}{% endif %}{% endif %}`;

const thinkTags = { open: '<think>', close: '</think>', label: '' };

function chatmlForm(
  form: Pick<CallForm, 'name' | 'template' | 'writeCalls'> & Partial<CallForm> & { readonly callMarkers: string[] },
): CallForm {
  const think = form.think ?? thinkTags;
  return {
    isTagged: false,
    think,
    markers: [think.open, think.close, ...form.callMarkers],
    writeThought: (thought) => [
      marker(think.open),
      text(think.label, '\n', thought, '\n'),
      marker(think.close),
      text('\n\n'),
    ],
    writeAnswer: (answer) => [text(answer)],
    ...form,
  };
}

const named = ({ name, args }: WrittenCall): string =>
  `{"name": ${JSON.stringify(name)}, "arguments": ${JSON.stringify(args)}}`;
const bareText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const tojson = '{{ c.function.arguments | tojson }}';
const member = '{{ v if v is string else v | tojson }}';

const hermes = chatmlForm({
  name: 'hermes-json',
  callMarkers: ['<tool_call>', '</tool_call>'],
  template: chatml(`\n<tool_call>\n{"name": "{{ c.function.name }}", "arguments": ${tojson}}\n</tool_call>`),
  writeCalls: (calls) =>
    calls.flatMap((call) => [text('\n'), marker('<tool_call>'), text('\n', named(call), '\n'), marker('</tool_call>')]),
});

const qwenXml = chatmlForm({
  name: 'qwen-xml',
  isTagged: true,
  callMarkers: ['<tool_call>', '</tool_call>'],
  template: chatml(
    `\n<tool_call>\n<function={{ c.function.name }}>\n{%- for k, v in c.function.arguments | items %}\n<parameter={{ k }}>\n${member}\n</parameter>{%- endfor %}\n</function>\n</tool_call>`,
  ),
  writeCalls: (calls) =>
    calls.flatMap(({ name, args }) => [
      text('\n'),
      marker('<tool_call>'),
      text(
        `\n<function=${name}>\n`,
        ...Object.entries(args).map(([key, value]) => `<parameter=${key}>\n${bareText(value)}\n</parameter>\n`),
        '</function>\n',
      ),
      marker('</tool_call>'),
    ]),
});

const glm = chatmlForm({
  name: 'glm',
  isTagged: true,
  callMarkers: ['<tool_call>', '</tool_call>', '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>'],
  template: chatml(
    `\n<tool_call>{{ c.function.name }}{%- for k, v in c.function.arguments | items %}<arg_key>{{ k }}</arg_key><arg_value>${member}</arg_value>{%- endfor %}</tool_call>`,
  ),
  writeCalls: (calls) =>
    calls.flatMap(({ name, args }) => [
      marker('<tool_call>'),
      text(name, '\n'),
      ...Object.entries(args).flatMap(([key, value]) => [
        marker('<arg_key>'),
        text(key),
        marker('</arg_key>'),
        text('\n'),
        marker('<arg_value>'),
        text(bareText(value)),
        marker('</arg_value>'),
        text('\n'),
      ]),
      marker('</tool_call>'),
    ]),
});

const gemmaQuote = '<|"|>';

function gemmaValue(value: unknown): ReplyToken[] {
  if (typeof value === 'string') return [marker(gemmaQuote), text(value), marker(gemmaQuote)];
  if (Array.isArray(value)) return [text('['), ...joined(value.map(gemmaValue)), text(']')];
  if (typeof value === 'object' && value !== null) return gemmaObject(value as Record<string, unknown>);
  return [text(JSON.stringify(value))];
}

const gemmaObject = (object: Readonly<Record<string, unknown>>): ReplyToken[] => [
  text('{'),
  ...joined(Object.entries(object).map(([key, value]) => [text(key, ':'), ...gemmaValue(value)])),
  text('}'),
];

const joined = (parts: readonly ReplyToken[][]): ReplyToken[] =>
  parts.flatMap((part, index) => (index === 0 ? part : [text(','), ...part]));

const gemma = chatmlForm({
  name: 'gemma',
  think: { open: '<|channel>', close: '<channel|>', label: 'thought\n' },
  callMarkers: ['<|tool_call>', '<tool_call|>', gemmaQuote],
  template: chatml(
    `<|tool_call>call:{{ c.function.name }}{{ '{' }}{%- for k, v in c.function.arguments | items %}{{ k }}:{{ '<|"|>' }}{{ v }}{{ '<|"|>' }}{%- endfor %}{{ '}' }}<tool_call|>`,
    '<|channel>thought\\n<channel|>',
  ),
  writeThought: (thought) => [marker('<|channel>'), text('thought\n', thought, '\n'), marker('<channel|>')],
  writeCalls: (calls) =>
    calls.flatMap(({ name, args }) => [
      marker('<|tool_call>'),
      text(`call:${name}`),
      ...gemmaObject(args),
      marker('<tool_call|>'),
    ]),
});

const minimax = chatmlForm({
  name: 'minimax',
  isTagged: true,
  callMarkers: ['<minimax:tool_call>', '</minimax:tool_call>'],
  template: chatml(
    `\n<minimax:tool_call>\n<invoke name="{{ c.function.name }}">{%- for k, v in c.function.arguments | items %}\n<parameter name="{{ k }}">${member}</parameter>{%- endfor %}\n</invoke>\n</minimax:tool_call>`,
  ),
  writeCalls: (calls) => [
    text('\n'),
    marker('<minimax:tool_call>'),
    ...calls.map(({ name, args }) =>
      text(
        `\n<invoke name="${name}">\n`,
        ...Object.entries(args).map(([key, value]) => `<parameter name="${key}">${bareText(value)}</parameter>\n`),
        '</invoke>\n',
      ),
    ),
    marker('</minimax:tool_call>'),
  ],
});

function sectionForm(
  name: string,
  markers: readonly string[],
  head: (name: string, index: number) => string,
): CallForm {
  const [opener, closer, start, separator, end] = markers as [string, string, string, string, string];
  return chatmlForm({
    name,
    callMarkers: [...markers],
    template: chatml(`${opener}${start}${head('{{ c.function.name }}', 0)}${separator}${tojson}${end}${closer}`),
    writeCalls: (calls) => [
      marker(opener),
      ...calls.flatMap((call, index) => [
        marker(start),
        text(head(call.name, index)),
        marker(separator),
        text(JSON.stringify(call.args)),
        marker(end),
      ]),
      marker(closer),
    ],
  });
}

const deepseekMarkers = [
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁calls▁end｜>',
  '<｜tool▁call▁begin｜>',
  '<｜tool▁sep｜>',
  '<｜tool▁call▁end｜>',
];
const deepseek = sectionForm('deepseek', deepseekMarkers, (name) => name);
const deepseekFenced: CallForm = {
  ...deepseek,
  name: 'deepseek, fenced',
  writeCalls: (calls) => [
    marker(deepseekMarkers[0]!),
    ...calls.flatMap((call) => [
      marker(deepseekMarkers[2]!),
      text('function'),
      marker(deepseekMarkers[3]!),
      text(`${call.name}\n\`\`\`json\n${JSON.stringify(call.args)}\n\`\`\``),
      marker(deepseekMarkers[4]!),
    ]),
    marker(deepseekMarkers[1]!),
  ],
};

const kimi = sectionForm(
  'kimi',
  [
    '<|tool_calls_section_begin|>',
    '<|tool_calls_section_end|>',
    '<|tool_call_begin|>',
    '<|tool_call_argument_begin|>',
    '<|tool_call_end|>',
  ],
  (name, index) => `functions.${name}:${index}`,
);

const toolCallList = chatmlForm({
  name: 'toolcall-list',
  callMarkers: ['<TOOLCALL>', '</TOOLCALL>'],
  template: chatml(`<TOOLCALL>[{"name": "{{ c.function.name }}", "arguments": ${tojson}}]</TOOLCALL>`),
  writeCalls: (calls) => [marker('<TOOLCALL>'), text('[', calls.map(named).join(', '), ']'), marker('</TOOLCALL>')],
});

const mistralTemplate = chatml(`[TOOL_CALLS]{{ c.function.name }}[ARGS]${tojson}`);
const mistral = chatmlForm({
  name: 'mistral-json',
  callMarkers: ['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]'],
  template: mistralTemplate,
  writeCalls: (calls) =>
    calls.flatMap(({ name, args }) => [
      marker('[TOOL_CALLS]'),
      text(name),
      marker('[ARGS]'),
      text(JSON.stringify(args)),
    ]),
});
const mistralList: CallForm = {
  ...mistral,
  name: 'mistral-json, list',
  writeCalls: (calls) => [marker('[TOOL_CALLS]'), text('[', calls.map(named).join(', '), ']')],
};

const llama = chatmlForm({
  name: 'llama-json',
  callMarkers: ['<|python_tag|>'],
  template: chatml(`{"name": "{{ c.function.name }}", "parameters": ${tojson}}`),
  writeCalls: (calls) => [
    text(calls.map(({ name, args }) => `{"name": "${name}", "parameters": ${JSON.stringify(args)}}`).join('; ')),
  ],
});

const harmonyMarkers = ['<|start|>', '<|channel|>', '<|message|>', '<|constrain|>', '<|end|>', '<|call|>'];
const harmony: CallForm = {
  name: 'harmony',
  isTagged: false,
  think: { open: '<|channel|>analysis<|message|>', close: '<|end|>', label: '' },
  markers: harmonyMarkers,
  template: `{%- for m in messages %}<|start|>{{ m.role }}<|message|>{{ m.content or '' }}{%- for c in m.tool_calls or [] %}<|start|>assistant<|channel|>commentary to=functions.{{ c.function.name }} <|constrain|>json<|message|>${tojson}<|call|>{%- endfor %}<|end|>{% endfor %}{# <|channel|>analysis<|message|> #}{%- if tools %}{{ tools | tojson }}{% endif %}{%- if add_generation_prompt %}<|start|>assistant{% endif %}`,
  writeThought: (thought) => [
    marker('<|channel|>'),
    text('analysis'),
    marker('<|message|>'),
    text(thought),
    marker('<|end|>'),
    marker('<|start|>'),
    text('assistant'),
  ],
  writeAnswer: (answer) => [
    marker('<|channel|>'),
    text('final'),
    marker('<|message|>'),
    text(answer),
    marker('<|end|>'),
    marker('<|start|>'),
    text('assistant'),
  ],
  writeCalls: (calls) =>
    calls.flatMap(({ name, args }, index) => [
      ...(index === 0 ? [] : [marker('<|start|>'), text('assistant')]),
      marker('<|channel|>'),
      text(`commentary to=functions.${name} `),
      marker('<|constrain|>'),
      text('json'),
      marker('<|message|>'),
      text(JSON.stringify(args)),
      marker('<|call|>'),
    ]),
};

export const callForms: readonly CallForm[] = [
  hermes,
  qwenXml,
  glm,
  gemma,
  minimax,
  deepseek,
  deepseekFenced,
  kimi,
  toolCallList,
  mistral,
  mistralList,
  llama,
  harmony,
];
