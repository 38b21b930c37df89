// For checkpoints that bring no template.

import type { LoadOptions } from './types.ts';

const chatml = `{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}`;

const plain = `{%- for message in messages %}
    {{- message.role + ': ' + message.content + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- 'assistant:' }}
{%- endif %}`;

/** ChatML where the vocabulary has its markers, else `role: text` lines. */
export function defaultTemplate(tokenId: LoadOptions['tokenId']): string {
  return tokenId('<|im_start|>') !== null && tokenId('<|im_end|>') !== null ? chatml : plain;
}
