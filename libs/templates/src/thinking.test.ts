import { expect, test } from 'vitest';
import { chatTemplateOf } from '../tests/support.ts';
import { thinkingKwargs } from './thinking.ts';

test('none turns thinking off and is not heard; other efforts turn it on', () => {
  expect(thinkingKwargs('', { effort: 'none' })).toEqual({ enable_thinking: false });
  expect(thinkingKwargs('', { effort: 'medium' })).toEqual({ enable_thinking: true, reasoning_effort: 'medium' });
});

test('the request’s effort wins over the kwargs’, and both over the server’s', () => {
  const kwargs = { reasoning_effort: 'low', other: 1 };
  expect(thinkingKwargs('', { effort: 'medium', kwargs, defaultEffort: 'xhigh' })).toMatchObject({
    reasoning_effort: 'medium',
    other: 1,
  });
  expect(thinkingKwargs('', { kwargs, defaultEffort: 'xhigh' })).toMatchObject({ reasoning_effort: 'low' });
  expect(thinkingKwargs('', { defaultEffort: 'xhigh' })).toEqual({ enable_thinking: true, reasoning_effort: 'xhigh' });
  expect(thinkingKwargs('', {})).toEqual({});
});

test('an explicit enable_thinking wins, and the template hears an effort only while thinking', () => {
  expect(thinkingKwargs('', { effort: 'medium', kwargs: { enable_thinking: false } })).toEqual({
    enable_thinking: false,
  });
  expect(thinkingKwargs('', { effort: 'none', kwargs: { enable_thinking: true } })).toEqual({ enable_thinking: true });
});

test('high is xhigh and minimal is low, unless the template names them', () => {
  expect(thinkingKwargs('', { effort: 'high' })).toMatchObject({ reasoning_effort: 'xhigh' });
  expect(thinkingKwargs('', { effort: 'minimal' })).toMatchObject({ reasoning_effort: 'low' });
  expect(thinkingKwargs("{% if e == 'high' %}", { effort: 'high' })).toMatchObject({ reasoning_effort: 'high' });
});

test('the prompt says whether the reply begins inside a think block', () => {
  const startsOpen = (family: string, kwargs: Record<string, unknown>) =>
    chatTemplateOf(family).template.render({ messages: [{ role: 'user', content: 'x <think>' }], kwargs })
      .thinkingStartsOpen;
  expect(startsOpen('qwen3.5', {})).toBe(true);
  expect(startsOpen('qwen3.5', { enable_thinking: false })).toBe(false);
  expect(startsOpen('qwen3', {})).toBe(false);
  expect(startsOpen('glm-5.2', {})).toBe(true);
  expect(startsOpen('gemma4', { enable_thinking: true })).toBe(false);
});
