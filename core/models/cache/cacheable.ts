/** Determines which responses may be cached: complete, unblocked replies to calls without tools. */

import type { ChatOutcome } from '#core/contracts/chat.ts';
import { asText } from '#core/kernel/as-text.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

/** Checks whether the request is eligible for a cache lookup, before a flight is opened. */
export function cacheableRequest(body: JsonObject): boolean {
  if (isNonEmptyList(body.tools) || isNonEmptyList(body.functions)) return false;
  // Requests whose responses depend on the time, or that store data at the provider.
  if (body.web_search_options !== undefined || body.store === true) return false;
  return !objects(body.messages).some(carriesTools);
}

/**
 * Checks whether a reply may be stored for other callers.
 * @param reply complete reply in the caller's dialect; undefined if a stream did not complete normally.
 */
export function cacheable(request: JsonObject, reply: JsonObject | undefined, outcome: ChatOutcome): boolean {
  return outcome === 'completed' && reply !== undefined && cacheableRequest(request) && wholeReply(reply);
}

/** Checks that every choice has text, ended normally or at its length limit, and does not call a tool. */
function wholeReply(reply: JsonObject): boolean {
  if (reply.error !== undefined) return false;
  if (Array.isArray(reply.choices)) {
    const choices = objects(reply.choices);
    return choices.length > 0 && choices.length === reply.choices.length && choices.every(wholeChoice);
  }
  const ended = reply.stop_reason;
  return ended !== undefined && endings.has(asText(ended)) && isNonEmptyList(reply.content) && !carriesTools(reply);
}

const endings: ReadonlySet<string> = new Set(['stop', 'length', 'end_turn', 'max_tokens', 'stop_sequence']);

function wholeChoice({ message, finish_reason }: JsonObject): boolean {
  return isObject(message) && endings.has(asText(finish_reason)) && !carriesTools(message);
}

function carriesTools(message: JsonObject): boolean {
  if (message.role === 'tool' || message.role === 'function') return true;
  if (isNonEmptyList(message.tool_calls) || isObject(message.function_call)) return true;
  return objects(message.content).some(({ type }) => typeof type === 'string' && /tool_(use|result)$/.test(type));
}

const isNonEmptyList = (value: Json | undefined): boolean => Array.isArray(value) && value.length > 0;
const objects = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
