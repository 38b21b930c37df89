// Chat programs ask for a title of the session beside the user's own request. Such requests wait behind those.

import type { ChatRequest } from '@tensorfold/protocol';

/** No tools, and a system message that opens by casting the model as a title generator or demands only a title. */
export function isSessionTitleRequest(request: Pick<ChatRequest, 'messages' | 'tools'>): boolean {
  if ((request.tools ?? []).length > 0) return false;
  const first = request.messages[0];
  if (first === undefined || (first.role !== 'system' && first.role !== 'developer')) return false;
  const text = typeof first.content === 'string' ? first.content : first.content.map((part) => part.text).join('');
  return openings.some((opening) => opening.test(text));
}

const openings: readonly RegExp[] = [
  /^\s*you are an? (?:[\w-]+ ){0,3}title (?:generator|writer|maker)\b/i,
  /^\s*(?:generate|write|create) (?:a|an|only a|one) (?:[\w,-]+ ){0,4}title for (?:this|the) (?:[\w-]+ )?(?:conversation|chat|session|thread)\b/i,
];
