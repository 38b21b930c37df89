// POST /tokenize and POST /detokenize, with vLLM's fields.

import type { FastifyInstance } from 'fastify';
import {
  parseDetokenizeRequest,
  parseTokenizeRequest,
  RequestError,
  type DetokenizeResponse,
  type PromptPiece,
  type TokenizeRequest,
  type TokenizeResponse,
} from '@tensorfold/protocol';
import type { LoadedModel } from '../models/registry.ts';
import type { RouteParts } from './parts.ts';

export function addTokens(app: FastifyInstance, { models }: RouteParts): void {
  app.post('/tokenize', (request): TokenizeResponse => {
    const body = parseTokenizeRequest(request.body);
    const model = models.find(body.model);
    const { engine } = model;
    const pieces = piecesOf(body, model);
    let tokens = engine.encode(pieces);
    if (body.add_special_tokens === false) tokens = withoutBos(tokens, pieces, model);
    return {
      count: tokens.length,
      max_model_len: engine.card.windowTokens,
      tokens,
      token_strs: body.return_token_strs === true ? tokens.map((id) => engine.decode([id])) : null,
    };
  });

  app.post('/detokenize', (request): DetokenizeResponse => {
    const { model: name, tokens } = parseDetokenizeRequest(request.body);
    const { engine } = models.find(name);
    const wrong = tokens.findIndex((id) => id >= engine.card.vocabSize);
    if (wrong !== -1) {
      throw new RequestError(
        `tokens[${wrong}] must be a token id below ${engine.card.vocabSize}, got ${tokens[wrong]}`,
        {
          param: `tokens[${wrong}]`,
        },
      );
    }
    return { prompt: engine.decode(tokens) };
  });
}

function piecesOf(body: TokenizeRequest, { template }: LoadedModel): readonly PromptPiece[] {
  if (body.messages === null || body.messages === undefined) return [{ text: body.prompt ?? '', source: 'template' }];
  return template.render({
    messages: body.messages,
    tools: body.tools,
    kwargs: template.thinkingKwargs({ kwargs: body.chat_template_kwargs }),
    addGenerationPrompt: body.add_generation_prompt ?? true,
    continueFinalMessage: body.continue_final_message ?? false,
  }).pieces;
}

function withoutBos(tokens: number[], pieces: readonly PromptPiece[], { engine }: LoadedModel): number[] {
  const bos = engine.card.specialTokens['bos_token'];
  if (bos === undefined || bos === '' || pieces[0]?.text.startsWith(bos)) return tokens;
  return tokens[0] === engine.tokenId(bos) ? tokens.slice(1) : tokens;
}
