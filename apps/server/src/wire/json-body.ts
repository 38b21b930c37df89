// Request bodies: JSON in UTF-8, and no key that would reach a prototype. Other media are a 415.

import type { FastifyInstance } from 'fastify';
import { RequestError } from '@tensorfold/protocol';

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
