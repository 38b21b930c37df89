import { describe, expect, test } from 'vitest';
import { RequestError } from '../errors.ts';
import { parseResponseRequest } from './request.ts';

const good = { input: 'hi' };

function refusal(fields: object): { message: string; param: string | null } {
  try {
    parseResponseRequest({ ...good, ...fields });
  } catch (error) {
    if (error instanceof RequestError) return { message: error.message, param: error.param };
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(fields)}`);
}

describe('what is not run here is refused by its name', () => {
  test.each([
    [{ input: undefined }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: 5 }, 'input'],
    [{ tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [{ tool_choice: { type: 'web_search' } }, 'tool_choice.type'],
    [{ background: true }, 'background'],
    [{ include: ['reasoning.encrypted_content'] }, 'include'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ truncation: 'auto' }, 'truncation'],
    [{ top_logprobs: 2 }, 'top_logprobs'],
    [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }, 'input[0].content[0].type'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 'input[0].content[0].type'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].type'],
    [{ input: [{ type: 'reasoning', summary: [], encrypted_content: 'AAAA' }] }, 'input[0].encrypted_content'],
    [{ input: [{ type: 'web_search_call', id: 'ws_1' }] }, 'input[0].type'],
    [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role'],
    [{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])) }, 'metadata'],
    [{ metadata: { a: 1 } }, 'metadata'],
    [{ text: { format: { type: 'json_schema', name: 'x' } } }, 'text.format.schema'],
    [{ reasoning: { effort: 'enormous' } }, 'reasoning.effort'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ temperature: true }, 'temperature'],
    [{ stop: 3 }, 'stop'],
    [{ store: 'yes' }, 'store'],
  ])('%j', (fields, param) => {
    expect(refusal(fields).param).toBe(param);
  });

  test('a file part is told to be one (G21)', () => {
    const output = [{ type: 'input_file', file_id: 'f' }];
    expect(refusal({ input: [{ type: 'function_call_output', call_id: 'c', output }] }).message).toContain(
      'input_file',
    );
  });
});

describe('accepted', () => {
  test.each([
    [{ include: [], background: false, truncation: 'disabled', top_logprobs: 0, conversation: null, prompt: null }],
    [{ temperature: null, instructions: null, tools: null, tool_choice: null, metadata: null, reasoning: null }],
    [{ text: null, store: null, truncation: null, include: null, previous_response_id: null, max_output_tokens: null }],
    [{ reasoning: {} }],
    [{ reasoning: { effort: null, summary: 'auto' } }],
    [{ text: { format: { type: 'text' }, verbosity: 'low' } }],
    [{ client_metadata: { a: 'b' }, prompt_cache_key: 'k', safety_identifier: 's', max_tool_calls: 3 }],
    [{ stream_options: { include_obfuscation: false } }],
    [{ input: [{ role: 'user', content: 'Hi' }] }],
    [{ input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] }],
    [{ input: [{ type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] }] }],
    [{ input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null }] }],
    [{ input: [{ type: 'function_call', call_id: 'c', name: 't', arguments: '{}' }] }],
    [{ input: [{ type: 'function_call_output', call_id: 'c', output: [] }] }],
    [{ tools: [{ type: 'function', name: 't', parameters: null, strict: null }] }],
    [
      {
        input: [
          {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'x', annotations: [], logprobs: [] }],
          },
        ],
      },
    ],
  ])('%j', (fields) => {
    expect(() => parseResponseRequest({ ...good, ...fields })).not.toThrow();
  });
});
