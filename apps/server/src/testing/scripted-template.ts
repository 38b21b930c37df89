// The chat template of scripted replies: ChatML, think blocks, calls in Qwen's XML form.

export const scriptedTemplate = `
{%- if tools %}
    {{- '<|im_start|>system\\nCall tools as <tool_call> blocks. <tools>' }}
    {%- for tool in tools %}
        {{- '\\n' }}{{- tool | tojson }}
    {%- endfor %}
    {{- '\\n</tools><|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\\n' }}
    {%- if message.role == 'assistant' and message.reasoning_content %}
        {{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}
    {%- endif %}
    {{- message.content or '' }}
    {%- for call in message.tool_calls or [] %}
        {{- '\\n<tool_call>\\n<function=' + call.function.name + '>\\n' }}
        {%- for name, value in call.function.arguments | items %}
            {{- '<parameter=' + name + '>\\n' }}
            {{- value if value is string else value | tojson }}
            {{- '\\n</parameter>\\n' }}
        {%- endfor %}
        {{- '</function>\\n</tool_call>' }}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking %}
        {{- '<think>\\n' }}
        {%- if reasoning_effort is defined %}{{- reasoning_effort + '\\n' }}{%- endif %}
    {%- endif %}
{%- endif %}`;
