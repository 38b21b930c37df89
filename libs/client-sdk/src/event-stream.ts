// Bytes of a text/event-stream -> its events.

import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Ends when the bytes do. Leaving the loop cancels the body. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  // Keeps a character that two chunks share; drops a byte order mark at the start.
  const decoder = new TextDecoder();
  const lines = new LineEndings();
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parser.feed(lines.write(decoder.decode(next.value, { stream: true })));
      yield* events.splice(0);
    }
    parser.feed(lines.write(decoder.decode()));
    yield* events.splice(0);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Makes CR, LF and CRLF into LF, also where a chunk ends between CR and LF. */
export class LineEndings {
  private endsWithReturn = false;

  write(text: string): string {
    if (text === '') return '';
    const rest = this.endsWithReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.endsWithReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }
}
