/** The OpenAI Chat Completions dialect. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { checkOpenai } from '../check-request.ts';
import type { Dialect } from '../dialect.ts';
import { encodeSse } from '../sse.ts';
import { blankLine, joinedTexts } from '../system-prompt.ts';
import { readOpenaiUsage } from '../usage.ts';
import { openaiCollector } from './collector.ts';
import { replayOpenai } from './replay.ts';
import { channelsOf, choiceTexts, chunkWith, definitionTexts, isSystem, messageTexts } from './texts.ts';

export const openai: Dialect = {
  name: 'openai',
  checkRequest: checkOpenai,
  messageTexts,
  requestTexts: (body, messages = messageTexts(body)) => [...definitionTexts(body), ...messages],
  withSystemPrompt,

  maxTokens: largestOutput,

  usesTools: (body) =>
    objectsOf(body.tools).length > 0 ||
    objectsOf(body.functions).length > 0 ||
    objectsOf(body.messages).some(
      ({ role, tool_calls, function_call }) =>
        role === 'tool' || role === 'function' || objectsOf(tool_calls).length > 0 || Boolean(function_call),
    ),

  replyTexts: (reply) => choiceTexts(reply, 'message'),
  eventTexts: (event) => choiceTexts(event, 'delta'),

  endedChannels(event) {
    if (isUsageOnly(event)) return 'all';
    const ended = objectsOf(event.choices)
      .filter((choice) => typeof choice.finish_reason === 'string')
      .flatMap((choice, position) => channelsOf(countOf(choice.index) ?? position));
    return ended.length > 0 ? ended : undefined;
  },

  textEvent: chunkWith,
  usageOf: (message) => readOpenaiUsage(message.usage),
  finishReason: (message) =>
    objectsOf(message.choices)
      .map((choice) => textOf(choice.finish_reason))
      .find((reason) => reason !== undefined),

  encode: (event) => encodeSse(undefined, JSON.stringify(event)),
  terminator: 'data: [DONE]\n\n',
  statusOf: ({ kind }) => kind.status,
  errorEvent: (error) => error.toBody() as unknown as JsonObject,
  errorBody: (error) => error.toBody() as unknown as JsonObject,

  replay: replayOpenai,
  collector: openaiCollector,
};

/**
 * Returns the largest of the request's output limits, because providers differ in which member they obey
 * [limit.largest-output].
 */
function largestOutput({ max_completion_tokens, max_tokens, options }: JsonObject): number | undefined {
  const given = [max_completion_tokens, max_tokens, objectOf(options)?.num_predict];
  const counts = given.flatMap((most) => countOf(most) ?? []);
  return counts.length > 0 ? Math.max(...counts) : undefined;
}

/** Returns the request with stream usage enabled, because the gateway needs it even if the caller does not. */
export function withUsageRequested(body: JsonObject): JsonObject {
  if (isUsageRequested(body)) return body;
  return { ...body, stream_options: { ...objectOf(body.stream_options), include_usage: true } };
}

/** Checks whether the caller requested stream usage. */
export const isUsageRequested = (body: JsonObject): boolean => objectOf(body.stream_options)?.include_usage === true;

/** Checks whether a chunk has usage and no choices. Such a chunk is sent only to callers that requested it. */
export const isUsageOnly = (event: JsonObject): boolean =>
  Array.isArray(event.choices) && event.choices.length === 0 && objectOf(event.usage) !== undefined;

/**
 * Adds `before` to the first system message, and `after` to the last system message at the start of the conversation.
 */
function withSystemPrompt(body: JsonObject, before: string, after: string): JsonObject {
  if (before === '' && after === '') return body;
  const messages = Array.isArray(body.messages) ? body.messages : [];
  const firstOther = messages.findIndex((message) => !isSystemMessage(message));
  const leading = firstOther === -1 ? messages.length : firstOther;
  if (leading === 0)
    return {
      ...body,
      messages: [{ role: 'system', content: [before, after].filter(Boolean).join(blankLine) }, ...messages],
    };
  const system = (messages.slice(0, leading) as JsonObject[]).map((message, index) => ({
    ...message,
    content: joinedTexts(message.content, index === 0 ? before : '', index === leading - 1 ? after : ''),
  }));
  return { ...body, messages: [...system, ...messages.slice(leading)] };
}

const isSystemMessage = (message: Json): boolean => {
  const object = objectOf(message);
  return object !== undefined && isSystem(object);
};
