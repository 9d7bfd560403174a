/**
 * Translation between the dialects: requests go from the caller's to the provider's, replies and events come back
 *. Within one dialect every object passes as it is.
 */
import type { DialectName } from '#core/contracts/chat.ts';
import type { Translator } from '../dialect.ts';
import { toAnthropicEvents } from './to-anthropic-events.ts';
import { toAnthropicReply } from './to-anthropic-reply.ts';
import { toAnthropicRequest } from './to-anthropic-request.ts';
import { toOpenaiEvents } from './to-openai-events.ts';
import { toOpenaiReply } from './to-openai-reply.ts';
import { toOpenaiRequest } from './to-openai-request.ts';

/**
 * @param caller the dialect requests come in and replies go out in.
 * @param provider the dialect the provider speaks.
 */
export function translator(caller: DialectName, provider: DialectName): Translator {
  if (caller === provider) return untouched;
  return caller === 'openai' ? openaiCaller : anthropicCaller;
}

const untouched: Translator = {
  request: (body) => body,
  reply: (reply) => reply,
  events: () => ({ next: (event) => [event], end: () => [] }),
};

const openaiCaller: Translator = { request: toAnthropicRequest, reply: toOpenaiReply, events: toOpenaiEvents };
const anthropicCaller: Translator = { request: toOpenaiRequest, reply: toAnthropicReply, events: toAnthropicEvents };
