/**
 * Translates requests from the caller's dialect to the provider's, and replies and events back. If both use the same
 * dialect, every object passes through unchanged.
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
 * Returns a translator.
 * @param caller dialect of the caller's requests and replies.
 * @param provider dialect of the provider.
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
