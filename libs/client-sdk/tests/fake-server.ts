// A fetch that answers from a script.

export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: any;
}

export function fakeFetch(answer: (sent: Sent, index: number) => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    const request: Sent = {
      url,
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    };
    sent.push(request);
    if (init.signal?.aborted === true) throw init.signal.reason;
    return await new Promise<Response>((resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      Promise.resolve(answer(request, sent.length - 1)).then(resolve, reject);
    });
  }) as typeof globalThis.fetch;
  return { fetch, sent };
}

/** A body that delivers these chunks, one a read. A number waits so many milliseconds; `hang` never ends it. */
export function bodyOf(chunks: readonly (string | Uint8Array | number)[], end: 'close' | 'hang' | Error = 'close') {
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = chunks[at];
      at += 1;
      if (typeof chunk === 'number') {
        await new Promise((resolve) => setTimeout(resolve, chunk));
        return controller.enqueue(new Uint8Array());
      }
      if (chunk !== undefined)
        return controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
      if (end === 'close') controller.close();
      else if (end !== 'hang') controller.error(end);
      else await new Promise(() => {});
    },
  });
}

export const sse = (...frames: unknown[]) =>
  new Response(
    bodyOf(frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`)),
    {
      headers: { 'content-type': 'text/event-stream' },
    },
  );

export const json = (value: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(value), init);

export const delta = (fields: object, finish: string | null = null, rest: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: finish }],
  ...rest,
});

export const usage = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 1 },
};
