// The engine without a server, ids in and ids out: npm run build, then node examples/engine.mjs path/to/model.gguf

import { Engine } from '@tensorfold/engine-native';

const [, , model] = process.argv;
if (model === undefined) throw new Error('give the path of a GGUF file or of a Hugging Face folder');

const engine = await Engine.load({ model });
const sampling = { temperature: 0.8, seed: 7n };
for await (const event of engine.submit({ prompt: [1, 2, 3], maxTokens: 16, sampling })) {
  if (event.type === 'finish') console.log(event.reason, event.stats.tokenSha);
  else console.log(event.pieces.map((piece) => piece.id).join(' '));
}
await engine.close();
