// What a reply must match. Not built yet: the one place that says so, and where the compiled grammar will come from.

import { RequestError, type ChatRequest } from '@tensorfold/protocol';

type StructuredFields = Pick<
  ChatRequest,
  'response_format' | 'guided_json' | 'guided_regex' | 'guided_choice' | 'guided_grammar' | 'structured_outputs'
>;

const guidedFields = ['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'structured_outputs'] as const;

/** RequestError (400) where the request asks for a reply that matches a schema, a regex, a choice or a grammar. */
export function refuseStructuredOutput(request: StructuredFields): void {
  const format = request.response_format;
  if (format !== null && format !== undefined && format.type !== 'text') throw notBuilt('response_format');
  for (const field of guidedFields) {
    const value = request[field];
    if (value !== null && value !== undefined) throw notBuilt(field);
  }
}

function notBuilt(field: string): RequestError {
  return new RequestError(
    `${field} asks for structured output, which is not built yet (no grammar support in this version); leave it out`,
    { param: field, code: 'structured_output_unsupported' },
  );
}
