// Writes into the project's README, below each of its curl lines, the message that the embedded model answers with.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildApp, loadModel } from '@tensorfold/server';
import { embeddedModel } from './paths.ts';

const readmePath = fileURLToPath(new URL('../../README.md', import.meta.url));
const requests = /^( {4}curl [^\n]*chat\/completions[^']*'[^']*' \\\n +-d '([^']*)'\n\n {4})\{.*\}$/gm;

const model = await loadModel({ model: embeddedModel });
const app = buildApp({ model, config: { log: 'silent' } });
const readme = readFileSync(readmePath, 'utf8');
const messages: string[] = [];
for (const [, , payload] of readme.matchAll(requests)) {
  const reply = await app.http.inject({
    method: 'POST',
    url: '/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    payload: payload!,
  });
  const { message } = reply.json().choices[0];
  for (const call of message.tool_calls ?? []) delete call.id;
  messages.push(JSON.stringify(message));
}
await app.drain();
await model.engine.close();
writeFileSync(
  readmePath,
  readme.replace(requests, (_all, head: string) => head + messages.shift()!),
);
