import { describe, expect, test } from 'vitest';
import { RequestError } from '../errors.ts';
import { parseChatRequest } from './request.ts';

const messages = [{ role: 'user', content: 'hi' }];
const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };

function refusal(fields: unknown): { message: string; param: string | null } {
  const body =
    fields !== null && typeof fields === 'object' && !Array.isArray(fields) ? { messages, ...fields } : fields;
  try {
    parseChatRequest(body);
  } catch (error) {
    if (error instanceof RequestError) return { message: error.message, param: error.param };
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(fields)}`);
}

describe('a refusal names the field, the value and what would work', () => {
  test.each([
    [{ top_p: 1.4 }, 'top_p', 'top_p must be a number between 0 and 1, got 1.4'],
    [{ temperature: true }, 'temperature', 'temperature must be a finite number of at least 0, got true'],
    [{ temperature: 'hot' }, 'temperature', 'temperature must be a finite number of at least 0, got "hot"'],
    [{ temperature: Infinity }, 'temperature', 'temperature must be a finite number of at least 0, got Infinity'],
    [{ top_k: 1.5 }, 'top_k', 'top_k must be a whole number, got 1.5'],
    [{ top_k: '5' }, 'top_k', 'top_k must be a whole number, got "5"'],
    [{ seed: 0.5 }, 'seed', 'seed must be a whole number, got 0.5'],
    [{ seed: Infinity }, 'seed', 'seed must be a whole number, got Infinity'],
    [{ min_p: -0.1 }, 'min_p', 'min_p must be a number between 0 and 1, got -0.1'],
    [{ max_tokens: 0 }, 'max_tokens', 'max_tokens must be a whole number of at least 1, got 0'],
    [{ max_tokens: '10' }, 'max_tokens', 'max_tokens must be a whole number of at least 1, got "10"'],
    [{ stop: 5 }, 'stop', 'stop must be a string or a list of non-empty strings, got 5'],
    [{ stop: [''] }, 'stop[0]', 'stop[0] must be a non-empty string, got ""'],
    [{ stop: ['a', 7] }, 'stop[1]', 'stop[1] must be a non-empty string, got 7'],
    [{ n: 2 }, 'n', 'n must be 1: one reply a request; send the request again for more, got 2'],
    [{ logprobs: true }, 'logprobs', 'logprobs must be false: log probabilities are not given out, got true'],
    [{ top_logprobs: 2 }, 'top_logprobs', 'top_logprobs must be 0: log probabilities are not given out, got 2'],
    [{ ignore_eos: 1 }, 'ignore_eos', 'ignore_eos must be true or false, got 1'],
    [{ stream: 'false' }, 'stream', 'stream must be true or false, got "false"'],
    [{ priority: 'urgent' }, 'priority', 'priority must be "foreground" or "background", got "urgent"'],
    [{ chat_template_kwargs: [1] }, 'chat_template_kwargs', 'chat_template_kwargs must be an object or null, got [1]'],
    [{ modalities: ['text', 'audio'] }, 'modalities[1]', 'modalities[1] must be "text", the only output, got "audio"'],
    [{ messages: undefined }, 'messages', 'messages is missing; it must be a non-empty list of messages'],
    [{ messages: [] }, 'messages', 'messages must be a non-empty list of messages, got []'],
    [{ messages: 'hi' }, 'messages', 'messages must be a non-empty list of messages, got "hi"'],
    [{ messages: [5] }, 'messages[0]', 'messages[0] must be an object with role and content, got 5'],
    [
      { messages: [{ role: 'wizard', content: 'x' }] },
      'messages[0].role',
      'messages[0].role must be one of "system", "developer", "user", "assistant", "tool", got "wizard"',
    ],
    [
      { messages: [{ role: 'user', content: 5 }] },
      'messages[0].content',
      'messages[0].content must be a string or a list of text parts, got 5',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
      'messages[0].content[0].type',
      'messages[0].content[0].type has type "image_url": image input is not supported by this server; send text',
    ],
    [{ tools: 'x' }, 'tools', 'tools must be a list of tools, got "x"'],
    [
      { tools: [{ type: 'web_search' }] },
      'tools[0].type',
      'tools[0].type must be "function": this server runs no tools of its own, got "web_search"',
    ],
    [{ tool_choice: 'required' }, 'tool_choice', 'tool_choice "required" needs at least one tool in tools'],
    [
      { tools: [tool], tool_choice: { type: 'function', function: { name: 'nope' } } },
      'tool_choice',
      'tool_choice names "nope", which is not in tools: add',
    ],
    [{ response_format: 'json' }, 'response_format', 'response_format must be an object with a type, got "json"'],
    [
      { response_format: { type: 'sound' } },
      'response_format.type',
      'response_format.type must be one of "text", "json_object", "json_schema", got "sound"',
    ],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
      'response_format.json_schema.schema',
      'response_format.json_schema.schema is missing; it must be a JSON schema: an object, true or false',
    ],
    [{ guided_choice: [] }, 'guided_choice', 'guided_choice must be a non-empty list of strings, got []'],
    [
      { reasoning_effort: 'enormous' },
      'reasoning_effort',
      'reasoning_effort must be one of "none", "minimal", "low", "medium", "high", "xhigh", got "enormous"',
    ],
    [
      { continue_final_message: true },
      'continue_final_message',
      'continue_final_message needs an assistant message of text at the end, got one of role "user"',
    ],
    [[], null, 'the request body must be a JSON object, got []'],
    [null, null, 'the request body must be a JSON object, got null'],
  ])('%j', (fields, param, message) => {
    expect(refusal(fields)).toEqual({ message, param });
  });
});

describe('accepted', () => {
  test.each([
    [{ temperature: null, top_p: null, top_k: null, seed: null, min_p: null, stop: null, max_tokens: null }],
    [{ tools: null, tool_choice: null, response_format: null, stream_options: null, chat_template_kwargs: null }],
    [{ ignore_eos: null, draft: null, priority: null, thinking_budget: null, reasoning_effort: null, n: null }],
    [{ n: 1, logprobs: false, top_logprobs: 0, stop: [], tools: [], modalities: ['text'] }],
    [{ stop: '', top_k: 40.0, seed: -3, temperature: 0, top_p: 0, min_p: 1 }],
    [{ user: 'u', metadata: { a: 'b' }, store: false, service_tier: 'auto', prompt_cache_key: 'k' }],
    [{ tools: [tool], tool_choice: { type: 'function', function: { name: 'add' } } }],
    [
      {
        response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema: { type: 'object' } } },
      },
    ],
    [{ structured_outputs: { regex: 'a+' } }],
    [{ messages: [{ role: 'developer', content: [{ type: 'text', text: 'a' }] }, ...messages] }],
    [
      {
        messages: [
          ...messages,
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: [] },
        ],
      },
    ],
  ])('%j', (fields) => {
    expect(() => parseChatRequest({ messages, ...fields })).not.toThrow();
  });

  test('tools keep their keys and their order', () => {
    const odd = { function: { strict: true, parameters: { b: 1, a: 2 }, name: 'add', extra: 1 }, type: 'function' };
    expect(JSON.stringify(parseChatRequest({ messages, tools: [odd] }).tools)).toBe(JSON.stringify([odd]));
  });

  test('unknown fields are dropped', () => {
    expect(parseChatRequest({ messages, wizard: 1 })).not.toHaveProperty('wizard');
  });
});
