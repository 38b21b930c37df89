// What a template can do, learnt once by rendering small conversations through it.

import { RequestError, type PromptPiece } from '@tensorfold/protocol';

export interface TemplateTraits {
  /** How a leading system message must be put: as it is, with its content as parts, or as a user message. */
  readonly firstSystem: 'text' | 'parts' | 'user';
  readonly lateSystem: 'text' | 'parts' | 'user';
  readonly refusesUserTwice: boolean;
  /** A call's arguments as an object; as their JSON text where the template joins them to text. */
  readonly argumentsAs: 'object' | 'text';
  readonly wantsShortIds: boolean;
  readonly reasoningField: 'reasoning_content' | 'thinking' | 'reasoning';
  readonly writesTools: boolean;
}

export type TryRender = (messages: readonly unknown[], tools: readonly unknown[] | null) => PromptPiece[];

export const probe = {
  name: 'probe_name',
  key: 'probe_key',
  value: 'probe value',
  user: 'probe question',
  system: 'probe rule',
} as const;

const shortId = 'probe0001';
const longId = 'call_probe_00000001';

const probeTool = {
  type: 'function',
  function: {
    name: probe.name,
    description: 'probe description',
    parameters: {
      type: 'object',
      properties: { [probe.key]: { type: 'string', description: 'probe' } },
      required: [probe.key],
    },
  },
};

const user = { role: 'user', content: probe.user };
const assistant = { role: 'assistant', content: 'probe answer' };
const partsOf = (text: string) => [{ type: 'text', text }];

/** An assistant message with one call, its arguments as an object or as text. */
export function probeCall(form: TemplateTraits['argumentsAs'], id: string, args: Record<string, string>): unknown {
  const given = form === 'text' ? JSON.stringify(args) : args;
  return {
    role: 'assistant',
    content: '',
    tool_calls: [{ id, type: 'function', function: { name: probe.name, arguments: given } }],
  };
}

export function learnTraits(source: string, render: TryRender): TemplateTraits {
  const shows = (text: string, messages: readonly unknown[], tools: readonly unknown[] | null = null) => {
    const rendered = attempt(() => render(messages, tools));
    return rendered !== null && joined(rendered).includes(text);
  };
  const renders = (...messages: unknown[]) => attempt(() => render(messages, null)) !== null;
  const callWith = (form: 'object' | 'text', id: string) =>
    shows(probe.name, [user, probeCall(form, id, { [probe.key]: probe.value })]);
  const wantsShortIds =
    !callWith('object', longId) &&
    !callWith('text', longId) &&
    (callWith('object', shortId) || callWith('text', shortId));
  const id = wantsShortIds ? shortId : longId;
  const place = (build: (content: unknown) => unknown[]) => {
    if (shows(probe.system, build(probe.system))) return 'text' as const;
    return shows(probe.system, build(partsOf(probe.system))) ? ('parts' as const) : ('user' as const);
  };
  return {
    firstSystem: place((content) => [{ role: 'system', content }, user]),
    lateSystem: place((content) => [user, assistant, { role: 'system', content }, user]),
    refusesUserTwice: renders(user, assistant, user) && !renders(user, user),
    argumentsAs: !callWith('object', id) && callWith('text', id) ? 'text' : 'object',
    wantsShortIds,
    reasoningField: reasoningFieldOf(source),
    writesTools: shows(probe.name, [user], [probeTool]),
  };
}

function reasoningFieldOf(source: string): TemplateTraits['reasoningField'] {
  if (source.includes('reasoning_content')) return 'reasoning_content';
  if (/\.thinking\b|["']thinking["']/.test(source)) return 'thinking';
  return /\.reasoning\b|["']reasoning["']/.test(source) ? 'reasoning' : 'reasoning_content';
}

/** What a call looks like in the prompt: the text after the question, and where in it the name stands. */
export interface RenderedCall {
  readonly text: string;
  readonly nameAt: number;
}

export function renderCall(
  traits: TemplateTraits,
  render: TryRender,
  args: Record<string, string>,
): RenderedCall | null {
  const call = probeCall(traits.argumentsAs, traits.wantsShortIds ? shortId : longId, args);
  const pieces = attempt(() => render([user, call], null)) ?? attempt(() => render([user, call], [probeTool]));
  if (pieces === null) return null;
  const whole = joined(pieces);
  const text = whole.slice(whole.lastIndexOf(probe.user) + probe.user.length);
  const nameAt = text.indexOf(probe.name);
  return nameAt < 0 ? null : { text, nameAt };
}

function joined(pieces: readonly PromptPiece[]): string {
  return pieces.map(({ text }) => text).join('');
}

function attempt<T>(render: () => T): T | null {
  try {
    return render();
  } catch (error) {
    if (error instanceof RequestError) return null;
    throw error;
  }
}
