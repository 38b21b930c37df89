// Request bodies: JSON in UTF-8, of bounded depth, and no key that would reach a prototype. Other media are a 415.

import type { FastifyInstance } from 'fastify';
import { RequestError } from '@tensorfold/protocol';

/** Objects and arrays around the innermost value. What reads a body recurses, and an overflow of its stack would be a 500. */
const maxDepth = 512;

export function readJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'ignore');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json\b/i, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) {
      // openai-python sends the content-type on a DELETE without a body.
      if (request.method === 'DELETE') done(null, undefined);
      else done(new RequestError('the request body is empty; send a JSON object'));
      return;
    }
    if (nestsDeeperThan(maxDepth, body as Buffer)) {
      done(new RequestError(`the request body nests objects and arrays more than ${maxDepth} deep`));
      return;
    }
    let text: string;
    try {
      text = utf8.decode(body as Buffer);
    } catch {
      done(new RequestError('the request body is not valid UTF-8'));
      return;
    }
    void parseJson(request, text, (error, value) => {
      if (error === null) done(null, value);
      else done(new RequestError(`the request body is not valid JSON: ${error.message}`));
    });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function nestsDeeperThan(limit: number, json: Uint8Array): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === 0x22 /* " */) isString = !isString;
    else if (isString) {
      if (byte === 0x5c /* \\ */) at += 1;
    } else if (byte === 0x5b /* [ */ || byte === 0x7b /* { */) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === 0x5d /* ] */ || byte === 0x7d /* } */) depth -= 1;
  }
  return false;
}
