// A chat template of a few lines, for tests of the wire: ChatML, think blocks by their markers, no calls.

import type { OutputEvent, TokenEvent } from '@tensorfold/protocol';
import type { ChatTemplate, OutputParser, ParserOptions, RenderRequest } from '@tensorfold/templates';

export function plainTemplate(): ChatTemplate {
  return {
    source: '',
    supportsThinking: true,
    supportsTools: false,
    thinkingMarkers: null,
    render(request: RenderRequest) {
      const pieces = request.messages.flatMap(({ role, content }) => [
        { text: `<|im_start|>${role}\n`, source: 'template' as const },
        { text: textOf(content), source: 'caller' as const },
        { text: '<|im_end|>\n', source: 'template' as const },
      ]);
      return {
        pieces: [...pieces, { text: '<|im_start|>assistant\n', source: 'template' }],
        thinkingStartsOpen: request.kwargs?.['enable_thinking'] === true,
      };
    },
    thinkingKwargs: (request) => ({ ...request.kwargs }),
    forcedToolCall: () => null,
    createOutputParser: (options: ParserOptions) => new ThinkParser(options.thinkingStartsOpen ?? false),
  };
}

type Content = RenderRequest['messages'][number]['content'];

function textOf(content: Content): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
}

class ThinkParser implements OutputParser {
  private isThinking: boolean;
  private reasoningTokens = 0;

  constructor(startsOpen: boolean) {
    this.isThinking = startsOpen;
  }

  push(event: TokenEvent): OutputEvent[] {
    if (event.type === 'finish') {
      return [{ type: 'finish', reason: event.reason, stats: event.stats, reasoningTokens: this.reasoningTokens }];
    }
    return event.pieces.flatMap(({ id, text }): OutputEvent[] => {
      if (text === '<think>') this.isThinking = true;
      if (this.isThinking && id !== null) this.reasoningTokens += 1;
      if (text === '</think>') this.isThinking = false;
      if (text === '' || text === '<think>' || text === '</think>') return [];
      return [{ type: this.isThinking ? 'reasoning-delta' : 'content-delta', text }];
    });
  }
}
