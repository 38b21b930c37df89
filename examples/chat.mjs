// Streams a reply with nothing but fetch: node examples/chat.mjs "Name three rivers."

const url = process.env.TF_HOST ?? 'http://127.0.0.1:8080';
const content = process.argv[2] ?? 'Name three rivers.';

const response = await fetch(`${url}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ messages: [{ role: 'user', content }], stream: true }),
});
if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);

let buffered = '';
for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
  const frames = (buffered + text).split('\n\n');
  buffered = frames.pop() ?? '';
  for (const frame of frames) {
    if (!frame.startsWith('data: {')) continue;
    const { choices, error } = JSON.parse(frame.slice('data: '.length));
    if (error) throw new Error(error.message);
    process.stdout.write(choices[0]?.delta.content ?? '');
  }
}
process.stdout.write('\n');
