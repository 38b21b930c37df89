// Replies that a model might write, for property tests: whole ones with what they say, and broken ones.

import * as fc from 'fast-check';
import type { CallForm, ReplyToken, WrittenCall } from './call-forms.ts';

/** The tools offered with the replies, in the wire's form. */
export const offeredTools = [
  functionTool('write', { path: 'string', text: 'string' }),
  functionTool('add', { a: 'integer', b: 'integer' }),
  functionTool('get_time', {}),
  functionTool('mixed', {
    flag: 'boolean',
    list: 'array',
    options: 'object',
    ratio: 'number',
    none: 'null',
    free: 'string',
  }),
];

function functionTool(name: string, types: Readonly<Record<string, string>>) {
  const properties = Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }]));
  return { type: 'function', function: { name, parameters: { type: 'object', properties } } } as const;
}

/** Text that readers of markup stumble over: halves of markers, quotes, brackets, characters of every width. */
const fragments = [
  'so ',
  'a',
  ' b ',
  '4',
  '\n',
  ' \n\n',
  '"',
  '\\',
  '\\"',
  "'",
  '`',
  ',',
  ':',
  ';',
  '{',
  '}',
  '[',
  ']',
  '{"name": ',
  '"}}',
  '<',
  '>',
  '</',
  '</par',
  '</parameter',
  '<parameter',
  '<function',
  '</tool_cal',
  '<tool',
  '<|',
  '|>',
  '<|"',
  '</arg_valu',
  '<thin',
  '</thin',
  '<invoke',
  '[TOOL_',
  '[ARG',
  'ä',
  '€',
  '😸',
  '👩‍👩‍👧',
  '日本',
  '\u2028',
  '\t',
  'e\u0301',
  'functions.add:0',
  'to=functions',
  '```',
  'null',
  'true',
  '1e5',
];
const roughText = fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join(''));
/** Blanks at an end may belong to the markup, and an answer that begins like JSON may be a call: these do neither. */
const framed = roughText.map((inside) => `I${inside}.`);

/** A value as tags can hold it: text whose ends are no blanks. */
const stringValue = fc.oneof(
  framed,
  fc.constant(''),
  roughText.map((inside) => `x${inside}x`),
);
const plainValue = fc.oneof(fc.integer({ min: -1e6, max: 1e6 }), fc.boolean(), fc.constant(null), framed);

const calls: fc.Arbitrary<WrittenCall> = fc.oneof(
  fc.record({ path: stringValue, text: stringValue }).map((args) => ({ name: 'write', args })),
  fc.record({ a: fc.integer(), b: fc.integer() }).map((args) => ({ name: 'add', args })),
  fc.constant({ name: 'get_time', args: {} }),
  fc
    .record(
      {
        flag: fc.boolean(),
        list: fc.array(plainValue, { maxLength: 4 }),
        options: fc.dictionary(fc.constantFrom('k', 'key two', 'ä'), plainValue, { maxKeys: 3, noNullPrototype: true }),
        ratio: fc.constantFrom(0.5, -2.25, 1e21, 3),
        none: fc.constant(null),
        free: stringValue,
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((args) => ({ name: 'mixed', args })),
);

export interface WholeReply {
  readonly tokens: readonly ReplyToken[];
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly WrittenCall[];
}

/** A reply that keeps to its form, and what it says. */
export function wholeReplies(form: CallForm): fc.Arbitrary<WholeReply> {
  return fc
    .record({
      thought: fc.option(framed, { nil: '' }),
      answer: fc.option(framed, { nil: '' }),
      calls: fc.array(calls, { maxLength: 3 }),
    })
    .map((said) => {
      // The whole answer is the call, where it has no opener.
      const answer = form.name === 'llama-json' && said.calls.length > 0 ? '' : said.answer;
      const tokens = [
        ...(said.thought === '' ? [] : form.writeThought(said.thought)),
        ...(answer === '' ? [] : form.writeAnswer(answer)),
        ...(said.calls.length === 0 ? [] : form.writeCalls(said.calls)),
      ];
      return { tokens, reasoning: said.thought, content: answer, calls: said.calls };
    });
}

/**
 * A reply whose think block is never closed, with calls in it and, sometimes, an answer behind them. Blanks around the calls
 * are markup.
 */
export function unclosedThoughts(form: CallForm): fc.Arbitrary<WholeReply> {
  const blank = fc.constantFrom('', ' ', '\n', '\n\n', ' \n');
  return fc
    .record({
      thought: fc.option(framed, { nil: '' }),
      calls: fc.array(calls, { minLength: 1, maxLength: 2 }),
      answer: fc.option(framed, { nil: '' }),
      blanks: fc.tuple(blank, blank),
    })
    .map(({ thought, calls: made, answer, blanks: [before, after] }) => {
      const plain = (text: string): ReplyToken[] => (text === '' ? [] : [{ text, isMarker: false }]);
      const { open, label } = form.think;
      const tokens = [
        { text: open, isMarker: true },
        ...plain(`${label}\n${thought}${before}`),
        ...form.writeCalls(made),
        ...plain(after + answer),
      ];
      return { tokens, reasoning: thought, content: answer, calls: made };
    });
}

type Damage = (tokens: readonly ReplyToken[]) => readonly ReplyToken[];

/** A reply with a piece missing, doubled, moved or put in: half calls, calls in thoughts, markers where none belong. */
export function brokenReplies(form: CallForm): fc.Arbitrary<readonly ReplyToken[]> {
  // Without the library's leaning to the ends: most places are inside calls.
  const place = fc.noBias(fc.nat({ max: 9999 })).map((nth) => nth / 10_000);
  const at = (tokens: readonly unknown[], where: number) => Math.floor(where * (tokens.length + 1));
  const inserted = fc.oneof(
    fc.constantFrom(...form.markers).map((text): ReplyToken => ({ text, isMarker: true })),
    // The same text spelled by ordinary tokens.
    fc.constantFrom(...form.markers).map((text): ReplyToken => ({ text, isMarker: false })),
    fc.constantFrom(...fragments).map((text): ReplyToken => ({ text, isMarker: false })),
  );
  const damage: fc.Arbitrary<Damage> = fc.oneof(
    place.map(
      (where): Damage =>
        (tokens) =>
          tokens.slice(0, at(tokens, where)),
    ),
    place.map(
      (where): Damage =>
        (tokens) =>
          tokens.filter((_, index) => index !== at(tokens, where)),
    ),
    fc.tuple(place, inserted).map(
      ([where, token]): Damage =>
        (tokens) =>
          tokens.toSpliced(at(tokens, where), 0, token),
    ),
    fc.tuple(place, place).map(([where, inside]): Damage => (tokens) => {
      const token = tokens[at(tokens, where)];
      if (token === undefined || token.isMarker) return tokens;
      const characters = [...token.text];
      const cut = Math.floor(inside * characters.length);
      const text = [...characters.slice(0, cut), ...characters.slice(cut + 1)].join('');
      return tokens.toSpliced(at(tokens, where), 1, { text, isMarker: false });
    }),
    fc.tuple(place, place).map(([from, to]): Damage => (tokens) => {
      const start = at(tokens, Math.min(from, to));
      return [...tokens.slice(0, start), ...tokens.slice(at(tokens, Math.max(from, to))), ...tokens.slice(start)];
    }),
    fc.constant<Damage>((tokens) =>
      tokens.map((token) => (token.isMarker ? token : { ...token, text: token.text.replaceAll('add', 'nope') })),
    ),
  );
  return fc
    .tuple(
      fc.array(wholeReplies(form), { minLength: 1, maxLength: 2 }),
      fc.array(damage, { minLength: 1, maxLength: 3 }),
    )
    .map(([replies, damages]) =>
      damages.reduce<readonly ReplyToken[]>(
        (tokens, apply) => apply(tokens),
        // In small parts, so that most damage falls inside calls.
        replies.flatMap(({ tokens }) => cutTokens(tokens, [4])),
      ),
    );
}

/** Sizes to cut text by, in characters, and rounds, in tokens. */
export const cuts = fc.record({
  text: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
  rounds: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 }),
});
export type Cuts = typeof cuts extends fc.Arbitrary<infer Value> ? Value : never;

/** Text between markers cut into tokens. */
export function cutTokens(tokens: readonly ReplyToken[], sizes: readonly number[]): ReplyToken[] {
  let turn = 0;
  return tokens.flatMap((token) => {
    if (token.isMarker) return [token];
    const characters = [...token.text];
    const parts: ReplyToken[] = [];
    for (let at = 0; at < characters.length;) {
      const size = sizes[turn++ % sizes.length]!;
      parts.push({ text: characters.slice(at, at + size).join(''), isMarker: false });
      at += size;
    }
    return parts;
  });
}

/** Tokens as the rounds that delivered them. */
export function cutRounds<Token>(tokens: readonly Token[], sizes: readonly number[]): Token[][] {
  const rounds: Token[][] = [];
  for (let at = 0; at < tokens.length; at += rounds.at(-1)!.length)
    rounds.push(tokens.slice(at, at + sizes[rounds.length % sizes.length]!));
  return rounds;
}

/** Arguments that are no JSON belong to a call that broke off: a client drops them. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
