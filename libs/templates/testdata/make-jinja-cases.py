"""Writes jinja-cases.json: small templates and what Jinja2 makes of them, in the environment of transformers.

    python make-jinja-cases.py [SEED] > jinja-cases.json        (needs jinja2 3.1.6; the file kept is of seed 1)

A case is [template, text], or [template, null] where Jinja2 refuses; `variables` is what all of them read.
"""

import copy
import itertools
import json
import random
import sys

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

VARIABLES = {
    "t": True, "zero": 0, "n": 7, "neg": -7, "big": 12345678901234567890, "f": 2.5, "g": -0.125, "s": "hello World",
    "empty": "", "uni": "Straße Ünïcode 漢字", "lines": "one\ntwo\n\n  three", "html": "<a href='x'>T&C</a>",
    "xs": [3, 1, 2], "words": ["pear", "Apple", "fig"], "mixed": [1, "a", None, 2.0, True], "none_": None,
    "d": {"b": 1, "a": 2, "C": 3}, "nested": {"x": {"y": [10, {"z": "deep"}]}, "items": "shadow"},
    "users": [{"name": "Bo", "age": 3, "tags": ["x"]}, {"name": "al", "age": 1, "tags": []}, {"name": "Cy", "age": 3}],
    "tree": [{"n": "a", "c": [{"n": "b", "c": []}, {"n": "d", "c": [{"n": "e", "c": []}]}]}, {"n": "f", "c": []}],
    "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": " hi "}, {"role": "assistant", "content": None}],
}


class Generation(jinja2.ext.Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_run"), [], [], body).set_lineno(line)

    def _run(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


ENVIRONMENT = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols, jinja2.ext.do]
)
ENVIRONMENT.filters["tojson"] = tojson
ENVIRONMENT.globals["raise_exception"] = raise_exception

RANDOM = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

# One template a line.
STATEMENTS = r"""
{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a is defined }}
{% set a = 5 %}{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}
{% with %}{% set z = 1 %}{{ z }}{% endwith %}{{ z is defined }}
{% with a = {'k': [1, 2]} %}{{ a.k[1] }}{% endwith %}
{% with (a, b) = (1, 2) %}{{ a + b }}{% endwith %}
{% for x in tree recursive %}{{ x.n }}{{ loop.depth }}[{{ loop(x.c) }}]{% endfor %}
{% for x in tree recursive %}{{ loop.index }}/{{ loop.length }}{{ x.n }}{% if x.c %}({{ loop(x.c) }}){% endif %}{% endfor %}
{%- for x in tree recursive -%}<{{ x.n }}{{ loop.depth0 }}{{ loop(x.c) }}>{%- else -%}-{%- endfor -%}
{% for x in tree if x.c recursive %}{{ x.n }}{{ loop(x.c) }}{% endfor %}
{% for x in xs %}{{ loop(xs) }}{% endfor %}
{% for a in [1, 2] %}{% for b in [1] %}{{ loop.depth }}{% endfor %}{% endfor %}
{{ (1,) }}{{ () }}{{ (1, 2,) }}{{ (1) }}
{{ 1, 2 }}
{% set a, b = 1, 2 %}{{ a }}{{ b }}
{% set (a, b) = (1, 2) %}{{ b }}
{% set a = 1, %}{{ a }}
{% for i in 1, 2, 3 %}{{ i }}{% endfor %}
{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}
{% for k in d %}{{ k }}{% endfor %}{% for c in 'añb' %}{{ c }},{% endfor %}
{% for x in none_ %}{{ x }}{% endfor %}
{% for x in 5 %}{{ x }}{% endfor %}
{% for x in missing %}{{ x }}{% else %}none{% endfor %}
{% block body %}in{{ n }}{% endblock %}out
{% block body %}x{% endblock body %}{% set v = 1 %}{% block two %}{{ v }}{% endblock %}
{% for i in xs %}{% block b %}[{{ i is defined }}]{% endblock %}{% endfor %}
{% for i in xs %}{% block b scoped %}[{{ i }}]{% endblock %}{% endfor %}
{% block a %}1{% endblock %}{% block a %}2{% endblock %}
{% autoescape false %}{{ html }}{% endautoescape %}
{% filter upper %}a{{ s }}{% endfilter %}
{% filter upper|replace('A', 'b') %}a{% endfilter %}
{% filter upper %}{% set q = 1 %}{% endfilter %}{{ q is defined }}
{% set x | upper | trim %} ab {% endset %}[{{ x }}]
{% set x %}{% for i in xs %}{{ i }}{% endfor %}{% endset %}{{ x|length }}{{ x }}
{% macro m(a, b=2, *c) %}{% endmacro %}
{% macro m(a, b=2) %}{{ a }}{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, 4, k=5) }}
{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1, 2, 3) }}
{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1, c=3) }}
{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(b=1, a=0) }}{{ m() }}
{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(4) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}
{% macro m(a, b) %}{{ a }}{{ b is defined }}{% endmacro %}{{ m(1) }}
{% macro m(a=1, b) %}{% endmacro %}
{% macro m() %}{{ n }}{% set n = 1 %}{{ n }}{% endmacro %}{{ m() }}
{% macro f(k) %}{{ k }}{% if k > 0 %}{{ f(k - 1) }}{% endif %}{% endmacro %}{{ f(3) }}
{% macro m() %}a{% endmacro %}{{ m.name }}{{ m() ~ m() }}{{ m()|upper }}
{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}
{% macro m() %}[{{ caller(1, 2) }}]{% endmacro %}{% call(a, b) m() %}{{ a }}-{{ b }}{% endcall %}
{% macro m(x) %}[{{ x }}{{ caller() }}]{% endmacro %}{% call m(3) %}{{ n }}{% endcall %}
{% macro m(x) %}[{{ x }}]{% endmacro %}{% call m(3) %}{{ n }}{% endcall %}
{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}{% call m() %}{% endcall %}
{% call n %}x{% endcall %}
{% do xs %}ok
{% set ns = namespace(a=1) %}{% do ns %}{{ ns.a }}
{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% for i in range(3) %}{% for j in range(3) %}{% if j == 1 %}{% break %}{% endif %}{{ i }}{{ j }} {% endfor %}{% endfor %}
{% for i in range(3) %}{% with q = i %}{% if q == 1 %}{% continue %}{% endif %}{{ q }}{% endwith %}{% endfor %}
{% break %}
{% generation %}a{{ n }}{% endgeneration %}b
{% generation %}{% set z = 1 %}{{ z }}{% endgeneration %}{{ z is defined }}
  {%- generation -%}  x  {%- endgeneration -%}  y
{% for m in messages %}{% generation %}{{ m.role }}{{ loop.index }}{% endgeneration %}{% endfor %}
{% set ns = namespace(a=1, b='x') %}{% set ns.a = ns.a + 1 %}{% set ns.c = 3 %}{{ ns.a }}{{ ns.b }}{{ ns.c }}{{ ns.q is defined }}
{% set ns = namespace({'a': 4}, b=5) %}{{ ns.a + ns.b }}{{ ns['a'] }}
{% set d.x = 1 %}
{% set q = 1 %}{% set q.x = 1 %}
{% if false %}a{% elif n == 7 %}b{% else %}c{% endif %}{% if not t %}d{% elif zero %}e{% else %}f{% endif %}
{% if missing %}a{% endif %}{% if missing is defined and missing.x %}b{% endif %}c
{% if 1, %}x{% endif %}
{% print n %}{% print 1, 2 %}
{% include 'x' %}
{% extends 'x' %}
{% import 'x' as y %}
{% from 'x' import y %}
{% nosuch %}
{% if t %}a
{% for x in xs %}a{% endif %}
{% endfor %}
{{ raise_exception('stop ' ~ n) }}
{{ n }
{% if n %}{# {{ broken #}x{% endif %}
{% raw %}{{ n }}{% if %}{% endraw %}
{% raw -%}  x  {%- endraw %}
{%- raw %} x {% endraw -%} y
a {%- raw %} x {% endraw -%} y
{# a #}b{#- c -#} d
 {#- a #} b
{%for x in xs%}{{x}}{%endfor%}{{n}}{{'a'}}
{{ '{{' }}{{ '%}' }}{{ "#}" }}
{{ 'a' 'b' "c" }}
{{ "a\tb\\n\x41\u00e9\N" }}
{{ [1,2,3,][1] }}{{ {'a': 1,}['a'] }}{{ {}|length }}{{ []|length }}
{{ {1: 'a', 2.0: 'b', none: 'c', true: 'd'} }}
{{ {'a': 1}.a }}{{ {'a': {'b': 2}}.a.b }}{{ nested.x.y[1].z }}{{ nested['x']['y'].0 }}{{ nested.x.y.1.z }}
{{ nested.items }}{{ nested['items'] }}
{{ n if t else s }}{{ n if zero }}{{ 1 if zero else 2 if zero else 3 }}
{{ (n if zero) is defined }}
{{ (n if zero).x }}
{{ 'a' if missing else 'b' }}{{ missing or 'x' }}{{ missing and 'x' }}{{ not missing }}
{{ 1 and 2 }}{{ 0 or '' or none or 5 }}{{ 0 and 1 }}{{ not 1 == 2 }}{{ not (t and zero) }}
{{ 1 < 2 < 3 }}{{ 1 < 3 < 2 }}{{ 1 == 1 == 1 }}{{ 3 > 2 > 1 }}{{ 1 < 2 == true }}{{ 1 in [1] == true }}
{{ 1 not in [2] and not 1 in [2] }}{{ 'a' not in 'abc' }}{{ not 'a' in 'abc' }}
{{ 1 + 2 ~ 3 }}
{{ 1 ~ 2 + 3 }}
{{ 1 ~ 2 * 3 ~ 4 }}{{ 'a' ~ none ~ true ~ 1.0 ~ [1] ~ missing ~ {'a': 1} }}
{{ 2 ** 3 ** 2 }}{{ -2 ** 2 }}{{ 2 ** -1 }}{{ (-2) ** 3 }}{{ 2 * 3 ** 2 }}{{ - 2 ** 2 }}
{{ -1|abs }}{{ -n|abs }}{{ (-n)|abs }}{{ 2 - -2 }}{{ 2 -1 }}{{ +n }}{{ - n }}{{ --n }}{{ 1 - n|abs }}
{{ n-1 }}{{ xs[0]-1 }}{{ (n)-1 }}{{ s|length-1 }}{{ xs[-1] }}{{ d['a']-1 }}
{{ 1_000 + 0x1F + 0b101 + 0o17 }}{{ 1_0.5_0 }}{{ 1e3 }}{{ 1.5e-7 }}{{ 12E+2 }}{{ 1e300 }}
{{ 5 is divisibleby 5 }}{{ 6 is not divisibleby 4 }}{{ n is sameas n }}{{ none_ is sameas none }}{{ 1 is sameas 1.0 }}{{ n is sameas true }}
{{ 3 is in xs }}{{ 3 is not in xs }}{{ 9 is in [1, 9] }}{{ 'a' is in d }}{{ n is eq 7 }}{{ n is ne 7 }}{{ n is gt 3 and n is lt 9 }}{{ n is ge 7 }}
{{ n is eq zero + 7 }}
{{ n is eq nested.x.y[0] }}{{ n is eq users|length }}{{ users[1].age is eq(1) }}{{ n is divisibleby xs[0] }}
{{ n is equalto 7 }}{{ n is greaterthan 3 }}{{ n is lessthan 3 }}{{ n is number }}{{ n is not string }}{{ missing is not defined }}
{{ n is nosuch }}
{{ n is divisibleby }}
{{ n is divisibleby(0) }}
{{ n is defined(1) }}
{{ s is upper }}{{ 'A' is upper }}{{ 'a' is lower }}{{ 'a1' is lower }}{{ 1 is lower }}
{{ n|nosuch }}
{{ n.foo }}{{ s.foo }}|{{ xs[9] }}|{{ d.zz }}|{{ d['zz'] }}|{{ s[99] }}
{{ missing.x }}
{{ missing['x'] }}
{{ d.zz.x }}
{{ none_.x }}|{{ n.x }}
{{ none_.x.y }}
{{ missing() }}
{{ n() }}
{{ s.nosuch() }}
{{ missing + 1 }}
{{ missing == missing }}{{ missing == none }}{{ missing is none }}{{ missing ~ 'a' }}{{ missing|length }}{{ missing|list }}{{ missing|join }}
{{ missing < 1 }}
{{ -missing }}
{{ 'a' in missing }}
{{ missing in xs }}
{{ dict(a=1, b=2) }}{{ dict(d, z=1) }}{{ dict([('a', 1)]) }}
{{ range(3)|list }}{{ range(1, 7, 2)|list }}{{ range(3, 0, -1)|list }}{{ range(3)[1] }}{{ range(5)|length }}{{ 2 in range(3) }}
{{ range(2.0) }}
{{ range(0, 5, 0) }}
{{ cycler is defined }}{{ joiner is defined }}
{% for x in xs %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.cycle('a', 'b') }}{{ loop.previtem }}{{ loop.nextitem }} {% endfor %}
{% for x in xs %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }}{% endfor %}
{% for m in messages %}{{ loop.changed(m.role) }}{% endfor %}{% for x in [1,1,2] %}{{ loop.changed(x) }}{% endfor %}
{% for x in xs %}{% set y = x %}{% endfor %}{{ y is defined }}{% if t %}{% set z = 3 %}{% endif %}{{ z }}
{% set y = 0 %}{% for x in xs %}{% set y = y + x %}{{ y }}{% endfor %}{{ y }}
{% for x in xs|sort if x > 1 %}{{ loop.index }}{{ x }}{% endfor %}{% for x in xs if x > 9 %}a{% else %}b{% endfor %}
{% for k, v in d|dictsort %}{{ k }}{{ v }}{% endfor %}{% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}{% for k, v in d|items %}{{ k }}{% endfor %}
{% for u in users|sort(attribute='age,name') %}{{ u.name }}{% endfor %}{% for u in users|sort(attribute='name') %}{{ u.name }}{% endfor %}
{% for u in users|sort(attribute='age', reverse=true) %}{{ u.name }}{% endfor %}{{ users|map(attribute='name')|sort(case_sensitive=true)|list }}
{{ users|selectattr('tags')|map(attribute='name')|list }}{{ users|selectattr('tags', 'defined')|list|length }}{{ users|rejectattr('age', 'eq', 3)|map(attribute='name')|join }}
{{ users|selectattr('age', 'in', [1, 2])|map(attribute='name')|list }}{{ users|map(attribute='tags', default='-')|list }}{{ users|map('length')|list }}
{{ users|sum(attribute='age') }}{{ users|groupby('age')|map('first')|list }}{{ users|groupby('age')|map(attribute='list')|map('length')|list }}{{ users|map(attribute='tags.0')|list }}
{{ users|groupby('tags', default='q') }}
{{ xs|map('string')|join('-') }}{{ xs|map('nosuch')|list }}
{{ words|map('upper')|list }}{{ words|map('replace', 'a', 'b')|list }}{{ words|select('eq', 'fig')|list }}{{ mixed|select('string')|list }}{{ mixed|reject('none')|list }}{{ mixed|select|list }}
{{ mixed|sort }}
{{ mixed|max }}
{{ [1, 'a']|min }}{{ []|max }}
{{ words|sort }}{{ words|sort(true) }}{{ words|sort(case_sensitive=true) }}{{ words|max }}{{ words|min(case_sensitive=true) }}{{ users|max(attribute='age') }}{{ users|min(attribute='name') }}
{{ ['a', 'A', 'b']|unique|list }}{{ ['a', 'A', 'b']|unique(true)|list }}{{ users|unique(attribute='age')|map(attribute='name')|list }}
{{ 1 < 'a' }}
{{ none_ < 1 }}
{{ [1] < [2] }}{{ [1, 2] < [1] }}{{ (1, 'a') < (1, 'b') }}{{ 'a' < 'b' }}{{ 'Z' < 'a' }}{{ true < 2 }}{{ 1.5 > 1 }}
{{ [1] < ['a'] }}
{{ {} < {} }}
{{ [1] == (1,) }}{{ [1] < (1,) }}
{{ d == {'a': 2, 'b': 1, 'C': 3} }}{{ 1 == 1.0 }}{{ 1 == true }}{{ '1' == 1 }}{{ none == false }}{{ [] == [] }}{{ big == big }}
{{ xs[::-1] }}{{ xs[1:] }}{{ xs[:-1] }}{{ xs[::2] }}{{ s[::3] }}{{ s[-3:] }}{{ s[8:2:-2] }}{{ (1, 2, 3)[1:] }}{{ uni[2:9] }}{{ xs[5:] }}{{ s[:0] }}{{ s[none:2] }}
{{ xs[1:2:0] }}
{{ n[1:] }}
{{ d[1:] }}
{{ xs[true] }}{{ xs[1.0] }}|{{ s['x'] }}|{{ d[1] }}
{{ d.get('a') }}{{ d.get('q') }}{{ d.get('q', 4) }}{{ d.keys()|list }}{{ d.values()|list }}{{ d.items()|list }}{{ d.copy() }}
{{ d.pop('a') }}
{{ d.update({'a': 1}) }}
{{ xs.append(1) }}
{{ xs.pop() }}
{{ xs.index(1) }}{{ xs.count(3) }}{{ xs.index(9) }}
{{ xs + [4] }}{{ (1,) + (2,) }}{{ [0] * 2 }}{{ 'ab' * 2 }}{{ 2 * 'ab' }}{{ 'a' * 0 }}{{ 'a' * -1 }}{{ 'a' * true }}
{{ xs + (4,) }}
{{ xs - [1] }}
{{ 'a' * 1.5 }}
{{ s|d('x') }}{{ missing|d }}{{ empty|d('x', true) }}{{ none_|d('x') }}{{ none_|default('x', boolean=true) }}{{ d.zz|default('y') }}
{{ missing.x|default('y') }}
{{ xs|first }}{{ xs|last }}{{ ''|first }}{{ []|last }}{{ s|first }}{{ d|first }}{{ xs|length }}{{ d|count }}{{ uni|length }}
{{ xs|sum }}{{ [0.5, 1]|sum }}{{ xs|sum(start=10) }}{{ []|sum }}
{{ ['a']|sum }}
{{ xs|batch(2)|list }}{{ xs|batch(2, 'x')|list }}{{ [1,2,3,4,5,6,7]|slice(3)|list }}{{ [1,2,3,4]|slice(3, 'x')|list }}
{{ xs|reverse|list }}{{ 'abc'|reverse }}{{ d|list }}{{ 'abc'|list }}{{ d|join(',') }}{{ xs|join }}{{ users|join(',', attribute='name') }}{{ mixed|join('|') }}
{{ d|dictsort(true) }}{{ d|dictsort(false, 'value') }}{{ d|dictsort(by='value', reverse=true) }}
{{ xs|dictsort }}
{{ none_|length }}
{{ n|length }}
{{ n|list }}
{{ none_|join }}
{{ none_|upper }}{{ n|upper }}{{ none_|trim }}{{ 5|replace(5, 6) }}{{ t|lower }}
{{ s|attr('upper') is callable }}{{ d|attr('zz') is defined }}
{{ 'a,b'|urlencode }}{{ 'a b/c?é'|urlencode }}{{ {'a b': 1, 'c': 'd&e'}|urlencode }}{{ [('a', 1)]|urlencode }}
{{ html|e }}{{ html|escape|length }}{{ html|striptags }}{{ html|safe }}{{ 5|e }}
{{ {'class': 'a b', 'id': none, 'x': 1, 'q': '"'}|xmlattr }}{{ {'a': 1}|xmlattr(false) }}{{ {}|xmlattr }}
{{ {'a b': 1}|xmlattr }}
{{ 'x'|indent }}{{ lines|indent }}|{{ lines|indent(2, true) }}|{{ lines|indent(2, blank=true) }}|{{ lines|indent('> ', first=true) }}
{{ 'the quick brown fox jumps'|wordwrap(10) }}
{{ 'a-very-long-hyphenated-word and more--dashes'|wordwrap(12) }}
{{ 'abcdefghijklmnop qrs'|wordwrap(5) }}|{{ 'abcdefghijklmnop qrs'|wordwrap(5, false) }}|{{ lines|wordwrap(4, wrapstring='/') }}
{{ 'multi-part state-of-the-art e-mail'|wordwrap(8, break_on_hyphens=false) }}|{{ ''|wordwrap }}|{{ '  lead  and   gaps '|wordwrap(6) }}
{{ 'x'|wordwrap(0) }}
{{ 'foo bar baz'|truncate(7) }}{{ 'foo bar baz'|truncate(7, leeway=0) }}{{ 'foo bar baz'|truncate(7, true, '', 0) }}{{ 'foobar'|truncate(2) }}
{{ 'abc'|center(10) }}|{{ 'a b c'|wordcount }}{{ uni|wordcount }}{{ 'x y'|title }}{{ "it's o'neil-smith (foo)"|title }}{{ uni|upper }}{{ 'hELLO'|capitalize }}
{{ '  a '|trim }}|{{ 'xxaxx'|trim('x') }}|{{ '-a-'.strip('-') }}{{ ' a '.lstrip() }}|{{ ' a '.rstrip() }}|{{ 'abcba'.strip('ab') }}{{ s.strip(none) }}
{{ 0|filesizeformat }} {{ 1|filesizeformat }} {{ 999|filesizeformat }} {{ 1000|filesizeformat }} {{ 1234567|filesizeformat }} {{ 1234567|filesizeformat(true) }} {{ '2048'|filesizeformat(binary=true) }} {{ 1e30|filesizeformat }} {{ 1500.7|filesizeformat }}
{{ 'x'|filesizeformat }}
{{ xs|tojson }}{{ d|tojson(indent=2) }}{{ d|tojson(sort_keys=true) }}{{ uni|tojson(ensure_ascii=true) }}{{ nested|tojson(separators=(',', ':')) }}{{ nested|tojson(indent=1, separators=(';', '=')) }}
{{ '"\\/\b\f\n\r\t\x01\x7f\u2028<>&\''|tojson }}{{ '😀'|tojson(ensure_ascii=true) }}{{ 1.0|tojson }}{{ 1e22|tojson }}{{ big|tojson }}{{ (1, 2)|tojson }}{{ none|tojson }}{{ true|tojson }}{{ {1: 2, none: 3, true: 4, 1.5: 5}|tojson }}
{{ d|tojson(4) }}
{{ d|tojson(indent='--') }}{{ []|tojson(indent=2) }}{{ [[]]|tojson(indent=2) }}{{ xs|tojson(indent=0) }}
{{ missing|tojson }}
{{ {(1, 2): 3}|tojson }}
{{ d.items|tojson }}
{{ namespace(a=1)|tojson }}
{{ 'a\nb'|pprint }}{{ "it's"|pprint }}
{{ d|string }}{{ [none, true, 1.0, 'a', "it's", 'a"b', '\n', 'é', '\x7f'] }}{{ {'a': {'b': ('c',)}} }}
{{ '%05d' | format(42) }}{{ '%s=%r' | format('a', 'b') }}{{ '%(a)s %(b)d' | format(a=1, b=2) }}{{ '%%' | format }}
{{ '%5.1f|%-6s|%+d|%x|%X|%o|%e|%g|%c|% d|%#x|%03d|%i' % (3.14159, 'ab', 5, 255, 255, 8, 12345.678, 0.0001, 'z', 3, 255, -5, 7.9) }}
{{ '%s' % none }}{{ '%s' % [1, 2] }}{{ '%s %s' % ('a', 1) }}{{ '%.2s' % 'abc' }}{{ '%*d' % (5, 3) }}{{ '%(x)s' % {'x': 'y'} }}
{{ '%d' % 'a' }}
{{ '%s %s' % 'a' }}
{{ '%s' % ('a', 'b') }}
{{ '%y' % 1 }}
{{ '%d' % 1.9 }}{{ '%s' % 1.0 }}{{ '%d' % true }}{{ '%5s|%-5s|' % ('é', 'é') }}
{{ '{:>5}|{:<5}|{:^5}|{:*^7}|{:=+5}|{:05d}|{:,}|{:_}|{:.2f}|{:e}|{:%}|{:x}|{:#b}|{:+}'.format('a', 'b', 'c', 'd', 1, 42, 1234567, 1234567, 3.14159, 12345.6789, 0.256, 255, 5, 3) }}
{{ '{0}{1}{0}'.format('a', 'b') }}{{ '{a}{b}'.format(a=1, b=2) }}{{ '{{}}{}'.format(1) }}{{ '{0[a]}{1[0]}'.format(d, xs) }}{{ '{!r}{!s}'.format('a', 'b') }}{{ '{:{}}|'.format('a', 4) }}{{ '{x.y}'.format(x=nested.x) }}
{{ '{}'.format() }}
{{ '{a}'.format(1) }}
{{ '{' .format(1) }}
{{ '{:d}'.format('a') }}
{{ '{:d}'.format(1.5) }}
{{ '{:.3}|{:10.3f}|{:<10.3f}|{:g}|{:g}|{:g}|{:.3g}|{:n}|{}|{:6.2%}'.format('abcdef', 2.0, 2.0, 1e10, 123456789, 0.00001, 1234.5, 5, 1e16, 0.5) }}
{{ '{:,.2f}|{:08.2f}|{:+08d}|{: d}|{:>+6}|{:^6.1f}|{:0>4}|{:<04}|{:c}'.format(1234567.891, -3.14159, 42, 7, 1, 2.25, 7, 3, 65) }}
{{ '{}|{}|{}|{}'.format(none, true, [1], 'x') }}{{ '{:>5}'.format(true) }}|{{ '{:5}'.format(1) }}|{{ '{:5}'.format('a') }}|{{ '{:.1f}|{:.0f}|{:.0f}|{:.0f}|{:.2f}|{:.1f}'.format(0.25, 0.5, 1.5, 2.5, 1.005, 0.35) }}
{{ '{:>5}'.format(none) }}
{{ 'a b  c'.split() }}{{ 'a,b,c'.split(',', 1) }}{{ 'a,b,c'.split(',', maxsplit=1) }}{{ 'a b c'.split(maxsplit=1) }}{{ 'a,b,c'.rsplit(',', 1) }}{{ ' a b  c '.rsplit(none, 1) }}{{ 'abc'.split('b')[0] }}{{ ''.split() }}{{ ''.split(',') }}{{ 'a,b'.split(sep=',') }}
{{ 'a'.split('') }}
{{ s.startswith('he') }}{{ s.startswith(('x', 'h')) }}{{ s.startswith('ell', 1) }}{{ s.endswith(('d', 'x')) }}{{ s.endswith('') }}{{ s.startswith('hello', 0, 3) }}
{{ s.startswith(['h']) }}
{{ s.startswith(1) }}
{{ s.replace('l', 'L') }}{{ s.replace('l', 'L', 1) }}{{ s.replace('', '-') }}{{ s|replace('o', '0', 1) }}{{ 'aaa'.replace('aa', 'b') }}
{{ s.replace('l', 1) }}
{{ s.upper() }}{{ s.lower() }}{{ s.title() }}{{ s.capitalize() }}{{ s.swapcase() }}{{ "it's".title() }}{{ 'ß'.upper() }}{{ 'ABC1def'.title() }}
{{ '-'.join(words) }}{{ ''.join(['a']) }}{{ ','.join('abc') }}{{ ','.join(d) }}
{{ '-'.join([1, 2]) }}
{{ s.find('o') }}{{ s.rfind('o') }}{{ s.find('zz') }}{{ s.index('W') }}{{ s.count('l') }}{{ s.find('o', 5) }}{{ s.count('') }}{{ uni.find('漢') }}
{{ s.index('zz') }}
{{ 'a1'.isalnum() }}{{ 'a'.isalpha() }}{{ '1'.isdigit() }}{{ '²'.isdigit() }}{{ '½'.isnumeric() }}{{ ' '.isspace() }}{{ 'A'.isupper() }}{{ 'a'.islower() }}{{ 'Ab Cd'.istitle() }}{{ ''.isalpha() }}{{ '1'.isdecimal() }}{{ 'a_1'.isidentifier() }}{{ 'é'.isascii() }}
{{ 'a=b=c'.partition('=') }}{{ 'a=b=c'.rpartition('=') }}{{ 'abc'.partition('x') }}{{ 'abc'.rpartition('x') }}{{ lines.splitlines() }}{{ 'a\r\nb'.splitlines(true) }}{{ 'x'.ljust(3) }}|{{ 'x'.rjust(3, '0') }}{{ 'x'.center(4, '*') }}{{ 'x'.center(5, '*') }}{{ 'xy'.center(5, '*') }}{{ '5'.zfill(3) }}{{ '-5'.zfill(4) }}
{{ 'prefix-x'.removeprefix('prefix-') }}{{ 'x.txt'.removesuffix('.txt') }}{{ 'a\tb'.expandtabs(4) }}{{ 'ABC'.casefold() }}
{{ 42|string ~ 1 }}{{ '42'|int + 1 }}{{ '4.9'|int }}{{ 'x'|int }}{{ 'x'|int(5) }}{{ none_|int }}{{ '0x1f'|int(base=16) }}{{ '101'|int(0, 2) }}{{ '1_000'|int }}{{ ' 7 '|int }}{{ true|int }}{{ 3.99|int }}{{ -3.99|int }}{{ []|int }}
{{ '1.5'|float }}{{ 'x'|float }}{{ 'x'|float(2) }}{{ 3|float }}{{ '1e3'|float }}{{ none_|float }}{{ 'inf'|float }}{{ 'nan'|float }}{{ '.5'|float }}{{ '5.'|float }}{{ '0x10'|float }}
{{ missing|int }}
{{ 2.5|round }}{{ 3.5|round }}{{ -2.5|round }}{{ 42|round }}{{ 2.675|round(2) }}{{ 1234.5678|round(-2) }}{{ 1250|round(-2) }}{{ 2.1|round(0, 'ceil') }}{{ 2.19|round(1, 'floor') }}{{ 0.5|round }}{{ 1.005|round(2) }}{{ 2.5|round|int }}
{{ 'x'|round }}
{{ 1|round(0, 'up') }}
{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 // -2 }} {{ 7.5 // 2 }} {{ -7.5 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ -7.5 % 2 }} {{ 7.5 % -2 }} {{ 6 / 3 }} {{ 1 / 3 }} {{ 2 ** 0.5 }} {{ 2 ** 100 }} {{ 0.1 + 0.2 }} {{ 1e16 }} {{ 1e15 }} {{ 1.0 }} {{ 100000000000000000000 }} {{ 1e-5 }} {{ 0.0001 }} {{ -0.0 }} {{ 5 // 0.1 }} {{ 1 // 0.1 }} {{ 0 // -2.5 }}
{{ 1 / 0 }}
{{ 1 % 0 }}
{{ 1.5 // 0 }}
{{ 0 ** -1 }}
{{ 10.0 ** 400 }}
{{ 'a' + 1 }}
{{ 1 + 'a' }}
{{ none + 1 }}
{{ [] + 'a' }}
{{ true + true }}{{ -true }}{{ true / 2 }}{{ true ~ 1 }}
{{ -'a' }}
{{ 1 in 'a' }}
{{ 1 in 5 }}
{{ 'é' in uni }}{{ none in [none] }}{{ [1] in [[1]] }}{{ 'a' in {'a': 1} }}
{{ [1] in {'a': 1} }}
{{ xs is iterable }}{{ s is iterable }}{{ n is iterable }}{{ d is sequence }}{{ n is sequence }}{{ d is mapping }}{{ xs is mapping }}{{ t is boolean }}{{ n is integer }}{{ f is float }}{{ t is integer }}{{ none_ is none }}{{ range is callable }}{{ s is callable }}{{ t is true }}{{ 1 is true }}{{ 'upper' is filter }}{{ 'odd' is test }}{{ 'zz' is filter }}{{ 3 is odd }}{{ 3 is even }}
{{ f is odd }}{{ s is odd }}
{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set j = joiner(',') %}{{ j() }}a{{ j() }}b{{ j() }}c
{{ foo(*xs) }}
{% macro m(a, b, c) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(*xs) }}{{ m(*[1], **{'b': 2, 'c': 3}) }}{{ m(1, *[2, 3]) }}
{{ n if }}
{{ }}
{{ 1 + }}
{{ (1 }}
{{ [1 }}
{{ {1} }}
{{ a b }}
{{ 'a }}
{% if %}x{% endif %}
{% for in xs %}{% endfor %}
{% set = 1 %}
{% set 5 = 1 %}
{% set true = 1 %}
{{ a. }}
{{ n | }}
{{ n is }}
{{ 1 ! 2 }}
{{ $x }}
{% macro %}{% endmacro %}
{% call %}{% endcall %}
{% filter %}{% endfilter %}
{% if n %}{% else %}{% else %}{% endif %}
{{ f(a=1, 2) }}
{{ loop is defined }}{{ true }}{{ True }}{{ none }}{{ None }}{{ false }}
{{ n -}} {{- n }}
{%- if true -%} a {%- endif -%}
"""


def combinations():
    """Values through operators, filters and tests, chosen by a fixed seed."""
    values = ["0", "7", "-7", "3", "2.5", "-0.125", "1e20", "true", "none", "''", "'a'", "'hello'", "'12'", "' x y '",
              "[]", "[3, 1]", "(1,)", "('a', 2)", "{}", "{'a': 1}", "missing", "big", "uni", "words"]
    operators = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]
    filters = ["abs", "capitalize", "count", "d('q')", "dictsort", "escape", "first", "float", "int", "items|list", "join('-')",
               "last", "length", "list", "lower", "max", "min", "reverse|list", "round", "round(1)", "sort", "string", "sum",
               "title", "tojson", "tojson(indent=1)", "trim", "unique|list", "upper", "wordcount", "indent(1, true)",
               "center(7)", "replace('a', 'b')", "batch(2)|list", "truncate(4, true, '.', 0)", "pprint", "urlencode",
               "filesizeformat", "wordwrap(3)", "striptags", "map('string')|list", "select|list", "reject('none')|list"]
    tests = ["boolean", "callable", "defined", "divisibleby 3", "eq 7", "even", "false", "float", "ge 3", "in [7, 'a']",
             "integer", "iterable", "lower", "lt 3", "mapping", "ne none", "none", "number", "odd", "sameas true",
             "sequence", "string", "true", "undefined", "upper"]
    specs = ["5", "<5", ">6", "^7", "*^7", "05", "+", ".2f", ",", "x", "d", "s", ".1", "e", "%", "g", "#x", "_", "=6", "b", "08.3f", "+.1e", ".3g"]
    percents = ["%s", "%d", "%5d", "%-5d|", "%05.1f", "%x", "%r", "%e", "%+d", "%.3s", "%g", "%10s", "%c", "%i"]
    made = [f"{{{{ {a} {o} {b} }}}}" for a, o, b in itertools.product(values, operators, values)]
    yield from RANDOM.sample(made, 420)
    yield from RANDOM.sample([f"{{{{ {v}|{f} }}}}" if not v.startswith("-") else f"{{{{ ({v})|{f} }}}}" for v, f in itertools.product(values, filters)], 380)
    yield from RANDOM.sample([f"{{{{ {v} is {test} }}}}" for v, test in itertools.product(values, tests)], 160)
    yield from RANDOM.sample([f"{{{{ '{{:{spec}}}'.format({v}) }}}}" for v, spec in itertools.product(values, specs)], 160)
    yield from RANDOM.sample([f"{{{{ '{p}' % ({v},) }}}}" for v, p in itertools.product(values, percents)], 110)
    bounds = ["", "0", "1", "-1", "2", "-3", "9"]
    slices = [f"{{{{ {v}[{a}:{b}{s}] }}}}" for v, a, b, s in itertools.product(["s", "xs", "(1, 2, 3, 4)", "uni"], bounds, bounds, ["", ":2", ":-1", ":-2"])]
    yield from RANDOM.sample(slices, 70)


def whitespace():
    """Tags with every sign, between blanks, newlines and text."""
    pads = ["", " ", "\n", "  \n", "\n  ", "\t", "a", "a ", " a", "\n\n", "a\n", "\na"]
    opens, closes = ["", "-", "+"], ["", "-", "+"]
    tags = [("%", "if t"), ("%", "set q = 1"), ("{", "n"), ("#", "c")]
    for _ in range(140):
        text = RANDOM.choice(pads)
        depth = 0
        for _ in range(RANDOM.randint(1, 3)):
            kind, inner = RANDOM.choice(tags)
            opener, closer = {"%": ("{%", "%}"), "{": ("{{", "}}"), "#": ("{#", "#}")}[kind]
            before, after = RANDOM.choice(opens), RANDOM.choice(closes)
            if kind == "{":
                before, after = before.replace("+", ""), after.replace("+", "")
            text += f"{opener}{before} {inner} {after}{closer}" + RANDOM.choice(pads)
            depth += inner == "if t"
        for _ in range(depth):
            text += "{%" + RANDOM.choice(opens) + " endif " + RANDOM.choice(closes) + "%}" + RANDOM.choice(pads)
        yield text


MULTILINE = [
    "{% filter indent(2, true) %}a\nb{% endfilter %}",
    "  {# a #}\nb", "  {{ n }}\nb", "\t{% if t %}\t\n x\n\t{%- endif %} y", "  {%- if t +%}\n x\n  {%+ endif %}\ny",
    "{% if t -%}\n   x   \n{%- endif %}", "a\n  {%- set q = 1 %}\nb", "a  {% set q = 1 %}  \nb", "a\n  {% set q = 1 -%}\n  b",
    "{{- n -}} x {{- n }}  {{ n -}}   \ny", "{% for x in xs -%}\n  {{ x }},\n{%- endfor %}",
    "{% for x in xs %}\n  {{ x }}\n{% endfor %}\nend", "{{ 'a\\\nb' }}", "{{ n }}{{ 'x' -}}\n   y",
    "{% for m in messages %}\n    {%- if m.role == 'user' %}\n        {{- m.content | trim }}\n    {%- endif %}\n{% endfor %}\n",
    "{% macro m(a) -%}\n  {{ a }}\n{%- endmacro %}\n{{ m(1) }}\n\n", "{%- set x -%}\n a \n{%- endset -%}\n[{{ x }}]",
    "{% raw %}\n {{ x }}\n{% endraw %}\ny", "  {% raw %} x {% endraw %}\ny", "a\r\nb\r{{ n }}\r\n",
    "{{ [1,\n  2] }}", "{% if n\n   == 7 %}\nx{% endif %}", "{#\n c\n#}\nx", "x\n{#- c #}\ny", "{% block a %}\n x\n{% endblock %}\ny",
]


def outcome(template):
    # A copy: Jinja2's indent changes a list in place.
    try:
        return ENVIRONMENT.from_string(template).render(**copy.deepcopy(VARIABLES))
    except Exception:
        return None


def main():
    cases = {}
    for template in itertools.chain(STATEMENTS.strip("\n").split("\n"), MULTILINE, combinations(), whitespace()):
        text = outcome(template)
        # What Python prints of objects that a template cannot mean to print; and outcomes too long to keep.
        if text is not None and (" object at 0x" in text or "built-in method" in text or "j)" in text or len(text) > 2000):
            continue
        cases[template] = text
    lines = ",\n".join(json.dumps([t, e], ensure_ascii=False) for t, e in cases.items())
    variables = json.dumps(VARIABLES, ensure_ascii=False)
    sys.stdout.write(f'{{\n"variables": {variables},\n"cases": [\n{lines}\n]\n}}\n')


main()
