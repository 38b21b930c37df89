import { describe, expect, test } from 'vitest';
import { parseJson } from '../json-text.ts';
import { JinjaTemplate } from './template.ts';
import { Text } from './text.ts';
import { Dict, TemplateError, TemplateRaised, type Value } from './values.ts';

/** What Jinja2 with transformers' settings prints; `variables` is JSON text. */
function render(source: string, variables = '{}'): string {
  const dict = parseJson(variables) as Dict;
  const values = new Map<string, Value>();
  for (const { key, value } of dict.entries.values()) values.set((key as { value: string }).value, value);
  return new JinjaTemplate(source).render(values, new Date(2026, 0, 5, 9, 3)).value;
}

const cases: [string, string, string?][] = [
  // Blanks
  ['a\n', 'a'],
  ['a\n\n', 'a\n'],
  ['{% if true %}\nx\n{% endif %}\ny', 'x\ny'],
  ['  {% if true %}x{% endif %}', 'x'],
  ['a  {% if true %}x{% endif %}', 'a  x'],
  ['  {%+ if true %}x{% endif %}', '  x'],
  ['{% if true +%}\nx{% endif %}', '\nx'],
  ['a \n {%- if true -%} \n x{% endif %}', 'ax'],
  ['{{ 1 }}\nb', '1\nb'],
  ['{# c #}\nb', 'b'],
  ['a {#- c -#} b', 'ab'],
  ['{% raw %}{{ x }}{% endraw %}', '{{ x }}'],
  ['{{ "a\nb" }}', 'a\nb'],
  ['{{ "}}" ~ "%}" }}', '}}%}'],
  ['{{ {"a": {"b": 1}}.a.b }}', '1'],
  ['{% generation %}\nx{% endgeneration %}', 'x'],
  // Escapes
  ["{{ 'it\\'s \\d \\x41' }}", "it's \\d A"],
  // Scopes
  ['{% for i in [1,2] %}{{ x is defined }}{% set x = i %}{% endfor %}{{ x is defined }}', 'FalseFalseFalse'],
  ['{% set ns = namespace(n=0) %}{% for i in [1,2] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}', '3'],
  ['{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, b=3) }}', '1213'],
  ['{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}x{% endcall %}', '[x]'],
  ['{% for i in [1,2,3] %}{{ i }}{% if i == 2 %}{% break %}{% endif %}{% endfor %}', '12'],
  ['{% for i in [1,2,3] %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}', '13'],
  ['{% for i in [1,2,3,4] if i is even %}{{ i }}/{{ loop.length }} {% else %}none{% endfor %}', '2/2 4/2 '],
  ['{% for i in [] %}{% else %}none{% endfor %}', 'none'],
  ['{% for k, v in d.items() %}{{ k }}={{ v }},{% endfor %}', 'a=1,b=2,', '{"d": {"a": 1, "b": 2}}'],
  ['{% set x %}a{% endset %}{{ x ~ x }}', 'aa'],
  ['{% set x | upper %}a{% endset %}{{ x }}', 'A'],
  ['{% filter upper %}a{% endfilter %}', 'A'],
  // Printing
  ['{{ none }}{{ true }}{{ nothing }}{{ 1.0 }}', 'NoneTrue1.0'],
  ['{{ x }}', "{'a': [1, 2.5, None, True, \"it's\"]}", '{"x": {"a": [1, 2.5, null, true, "it\'s"]}}'],
  ['{{ (1, 2) }}{{ [] if true }}', '(1, 2)[]'],
  ['{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 70 }}', '3 -4 2 3.5 1180591620717411303424'],
  ['{{ x }}', '1e+16', '{"x": 1e16}'],
  ['{{ x }}', '1e-07', '{"x": 1e-7}'],
  ['{{ x }}', '0.0001', '{"x": 1e-4}'],
  ['{{ x }}', '123456789012345.6', '{"x": 123456789012345.6}'],
  // Filters and globals that few templates need; the texts are Jinja2 3.1.6's
  ['{{ [1,2,3,4,5]|slice(2)|list }}', '[[1, 2, 3], [4, 5]]'],
  ["{{ [1,2,3,4,5]|slice(3, 'x')|list }}", "[[1, 2], [3, 4], [5, 'x']]"],
  [
    "{{ msgs|groupby('role') }}",
    "[('assistant', [{'role': 'assistant', 'n': 1}]), ('user', [{'role': 'user', 'n': 2}])]",
    '{"msgs": [{"role": "user", "n": 2}, {"role": "assistant", "n": 1}]}',
  ],
  [
    "{% for g in msgs|groupby('role') %}{{ g.grouper }}:{{ g.list|length }};{% endfor %}",
    'assistant:1;user:1;',
    '{"msgs": [{"role": "user", "n": 2}, {"role": "assistant", "n": 1}]}',
  ],
  [
    "{% for who, said in msgs|groupby('role') %}{{ who }}{{ said|map(attribute='n')|list }}{% endfor %}",
    'assistant[1]user[2]',
    '{"msgs": [{"role": "user", "n": 2}, {"role": "assistant", "n": 1}]}',
  ],
  ["{{ 'hello world foo'|truncate(9) }}", 'hello...'],
  ["{{ 'hello world foo bar'|truncate(11, true, '..') }}", 'hello wor..'],
  ["{{ 'hello'|truncate(3) }}", 'hello'],
  ["{{ 'x'|center(5) }}|{{ 'xy'|center(5) }}|", '  x  |  xy |'],
  ["{{ '%s-%d'|format('a', 3) }}", 'a-3'],
  [
    "{{ 'abc'.zfill(5) }} {{ '-7'.zfill(4) }} {{ 'abc'.ljust(5) }}|{{ 'abc'.rjust(5) }}|{{ 'abc'.center(8,'*') }}",
    '00abc -007 abc  |  abc|**abc***',
  ],
  ["{{ 'tESTß'.casefold() }}", 'testss'],
  ['{% for x in [1,1,2] %}{{ loop.changed(x) }};{% endfor %}', 'True;False;True;'],
  [
    "{% set c = cycler('a','b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set _ = c.reset() %}{{ c.next() }}",
    'abaa',
  ],
  ["{% set j = joiner('|') %}{{ j() }}a{{ j() }}b", 'a|b'],
  [
    "{{ [[1,2],[3]]|sum(start=[]) }} {{ [1, 2.5]|sum }} {{ msgs|sum(attribute='n') }}",
    '[1, 2, 3] 3.5 3',
    '{"msgs": [{"role": "user", "n": 2}, {"role": "assistant", "n": 1}]}',
  ],
  ['{{ [0]*3 }} {{ 2*[1] }}', '[0, 0, 0] [1, 1]'],
  ["{{ 'x'|pprint }} {{ [1,'a']|pprint }}", "'x' [1, 'a']"],
  ["{{ [1,2,3]|join(', ', attribute=none) }}", '1, 2, 3'],
  ["{{ '<b>x</b> <!-- c --> y'|striptags }}", 'x y'],
  // JSON
  ['{{ x|tojson }}', '{"b": "<é&\\u0001>", "a": [1, 2.0, null]}', '{"x": {"b": "<é&\\u0001>", "a": [1, 2.0, null]}}'],
  ['{{ x|tojson(ensure_ascii=true) }}', '"\\u00e9"', '{"x": "é"}'],
  ['{{ x|tojson(indent=2) }}', '{\n  "a": [\n    1\n  ],\n  "b": {}\n}', '{"x": {"a": [1], "b": {}}}'],
  ['{{ x|tojson(sort_keys=true, separators=(",", ":")) }}', '{"a":1,"b":2}', '{"x": {"b": 2, "a": 1}}'],
  // Text
  ['{{ " \u{feff}a\x1c\t"|trim }}', '\u{feff}a'],
  ['{{ "xxaxx".strip("x") }}{{ "a.b".split(".")[1] }}{{ " a  b ".split() }}', "ab['a', 'b']"],
  ['{{ "a-b-c".split("-", 1) }}{{ "a-b-c".rsplit("-", 1) }}', "['a', 'b-c']['a-b', 'c']"],
  ['{{ "👩x"[1:] }}{{ "👩x"|length }}{{ "abc"[::-1] }}', 'x2cba'],
  ['{{ "aXa"|replace("a", "b", 1) }}{{ "ab".replace("", "-") }}', 'bXa-a-b-'],
  ['{{ "hELLO wORLD"|capitalize }} {{ "hELLO"|title }}', 'Hello world Hello'],
  // Tests
  ['{{ 4 is divisibleby(2) }}{{ 4 is not divisibleby 3 }}{{ 1 is eq(1.0) }}{{ "a" is in(["a"]) }}', 'TrueTrueTrueTrue'],
  ['{{ x is sequence }}{{ x is iterable }}{{ x is mapping }}{{ 1 is sequence }}', 'TrueTrueTrueFalse', '{"x": {}}'],
  ['{{ true is integer }}{{ true is number }}{{ 1.0 is float }}{{ none is none }}', 'FalseTrueTrueTrue'],
  ['{{ "a" in "cat" }}{{ "k" in x }}{{ 1.0 in [1] }}{{ "z" not in x }}', 'TrueTrueTrueTrue', '{"x": {"k": 1}}'],
  // Filters
  ['{{ x|dictsort }}', "[('A', 1), ('b', 2)]", '{"x": {"b": 2, "A": 1}}'],
  [
    '{{ x|map(attribute="a")|join(",") }}{{ x|selectattr("a", "gt", 1)|list|length }}',
    '1,21',
    '{"x": [{"a": 1}, {"a": 2}]}',
  ],
  ['{{ nothing|default("d") }}{{ ""|default("d", true) }}{{ none|default("d") }}', 'ddNone'],
  ['{{ [3,1,2]|sort|first }}{{ [1,2]|sum }}{{ "a\nb"|indent(2) }}', '13a\n  b'],
  ['{{ d.items is callable }}{{ d["items"] }}{{ d.get("z", 5) }}', 'True15', '{"d": {"items": 1}}'],
  ['{{ strftime_now("%d %b %Y %-d %H:%M %A") }}', '05 Jan 2026 5 09:03 Monday'],
];

describe('prints as Jinja2', () => {
  test.each(cases)('%j', (source, expected, variables) => {
    expect(render(source, variables)).toBe(expected);
  });
});

const refused = [
  '{{ nothing.x }}',
  '{{ nothing + "a" }}',
  '{{ "a" + 1 }}',
  '{{ none + "a" }}',
  '{{ "a" in none }}',
  '{{ nothing() }}',
  '{{ "a"|items }}',
  '{{ nothing|tojson }}',
  '{{ [].append(1) }}',
  '{{ none|length }}',
  '{{ range(1000000) }}',
  '{{ 2 ** 100000 }}',
  '{{ "a" * 100000000 }}',
  '{{ "a"|nofilter }}',
  '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
];

test.each(refused)('%s is refused', (source) => {
  expect(() => render(source)).toThrow(source.includes('macro') ? RangeError : TemplateError);
});

test('raise_exception ends the render with its message', () => {
  expect(() => render('a{{ raise_exception("no " ~ 1) }}')).toThrow(new TemplateRaised('no 1'));
});

const placed: [string, string][] = [
  ['a\n{% if x %}\nb', 'line 2: {% if %} is not closed, expected {% endif %}'],
  ['{{ 1\n+ }}', 'line 1: expected an expression, got the end of the tag'],
  ['\n\n{% nosuch %}', 'line 3: unknown tag {% nosuch %}'],
  ['{% for x in y %}\n{% endif %}', 'line 2: unknown tag {% endif %}, expected {% else %} or {% endfor %}'],
  ["\n{% include 'x' %}", 'line 2: {% include %} is not supported: a chat template has no other files'],
  [
    '{# a\n#}{% autoescape true %}{% endautoescape %}',
    'line 2: only {% autoescape false %} is supported: a prompt is not HTML',
  ],
  ['\n{{ "a }}', 'line 2: a string is not closed'],
  ['\n{{ $ }}', 'line 2: Unexpected character: $'],
  ['{% break %}', 'line 1: {% break %} stands outside a loop'],
];

test.each(placed)('%j is refused with what and where', (source, message) => {
  expect(() => new JinjaTemplate(source)).toThrow(new SyntaxError(message));
});

test('a rendering that fails knows the line, in a macro that of its body', () => {
  const lineOf = (source: string) => {
    try {
      render(source);
      return null;
    } catch (error) {
      return (error as TemplateError).line;
    }
  };
  expect(lineOf('a\n{{ nothing.x }}')).toBe(2);
  expect(lineOf('{% macro m() %}\n\n{{ 1 + "a" }}{% endmacro %}\n{{ m() }}')).toBe(3);
  expect(lineOf('{% if true %}\n{% for x in [1] %}\n{{ x|nofilter }}{% endfor %}{% endif %}')).toBe(3);
});

test('text keeps its author through the filters that lay it out', () => {
  const text = Text.concat([Text.template('<a> '), Text.caller('<b> one two')]);
  const sources = ['{{ x|wordwrap(7) }}', '{{ "%-20s"|format(x) }}', '{{ "{:>20}".format(x) }}', '{{ x|title }}'];
  for (const source of sources) {
    const { segments } = new JinjaTemplate(source).render(new Map([['x', text]]), new Date(0));
    expect(
      segments
        .filter(({ caller }) => !caller)
        .map((each) => each.text)
        .join(''),
    ).not.toMatch(/<b>/i);
    expect(segments.some(({ caller, text: part }) => caller && /<b>/i.test(part))).toBe(true);
  }
});

test('a source that is no template is an error of the checkpoint', () => {
  for (const source of ['{% if %}', '{{ "a }}', '{% for x in y %}', '{{ 1', '{# c']) {
    expect(() => new JinjaTemplate(source)).toThrow(Error);
  }
});
