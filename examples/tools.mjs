// A chat that calls a function of ours: npm run build, then node examples/tools.mjs

import { TensorFold } from '@tensorfold/client';

const client = new TensorFold({ baseURL: `${process.env.TF_HOST ?? 'http://127.0.0.1:8080'}/v1` });

const { completion } = await client.runTools({
  messages: [{ role: 'user', content: 'What is 17 + 25? Use the tool.' }],
  tools: {
    add: {
      description: 'Adds two numbers',
      parameters: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      run: ({ a, b }) => String(a + b),
    },
  },
});
console.log(completion.choices[0].message.content);
