#!/usr/bin/env -S node --import tsx
// Writes a tiny random checkpoint: node --import tsx tools/tiny-model/make-tiny-model.mjs OUT.gguf [--family qwen3]
// [--type Q8_0] [--seed 1] [--num-layers 2] ... : every option of TinyModelOptions, in kebab case.

import { writeTinyModel } from './tiny-model.ts';

const [path, ...rest] = process.argv.slice(2);
if (path === undefined || path.startsWith('-') || rest.length % 2 !== 0) {
  console.error(
    'usage: make-tiny-model.mjs OUT.gguf [--family llama|qwen3|gemma3] [--type F32] [--seed 1] [--num-layers 2] ...',
  );
  process.exit(2);
}
const options = {};
for (let i = 0; i < rest.length; i += 2) {
  const name = rest[i].replace(/^--/, '').replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  const value = rest[i + 1];
  options[name] = value === 'true' ? true : value === 'false' ? false : /^\d+$/.test(value) ? Number(value) : value;
}
writeTinyModel(path, options);
