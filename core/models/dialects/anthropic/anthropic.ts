/** The Anthropic Messages dialect. */
import type { GatewayError } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { checkAnthropic } from '../check-request.ts';
import type { Dialect } from '../dialect.ts';
import { encodeSse } from '../sse.ts';
import { joinedTexts } from '../system-prompt.ts';
import { readAnthropicUsage } from '../usage.ts';
import { anthropicCollector } from './collector.ts';
import { replayAnthropic } from './replay.ts';
import { channelsOf, definitionTexts, deltaWith, eventTexts, messageTexts, replyTexts } from './texts.ts';

export const anthropic: Dialect = {
  name: 'anthropic',
  checkRequest: checkAnthropic,
  messageTexts,
  requestTexts: (body, messages = messageTexts(body)) => [...definitionTexts(body), ...messages],

  withSystemPrompt: (body, before, after) =>
    before === '' && after === '' ? body : { ...body, system: joinedTexts(body.system, before, after) },

  maxTokens: (body) => countOf(body.max_tokens),

  usesTools: (body) =>
    objectsOf(body.tools).length > 0 ||
    objectsOf(body.mcp_servers).length > 0 ||
    asksForTools(body.tool_choice) ||
    objectsOf(body.messages).some(({ content }) => objectsOf(content).some(isToolPart)),

  replyTexts,
  eventTexts,

  endedChannels(event) {
    if (event.type === 'content_block_stop') return channelsOf(countOf(event.index) ?? 0);
    return event.type === 'message_delta' || event.type === 'message_stop' ? 'all' : undefined;
  },

  textEvent: deltaWith,
  usageOf: (message) =>
    readAnthropicUsage(objectOf(message.message)?.usage ?? message.usage, message.type === 'message_delta'),
  finishReason: (message) => textOf(message.stop_reason) ?? textOf(objectOf(message.delta)?.stop_reason),

  encode: (event) => encodeSse(textOf(event.type), JSON.stringify(event)),
  terminator: '',
  statusOf: ({ code, kind }) => (code === 'provider_overloaded' ? overloaded : kind.status),
  errorEvent: errorBody,
  errorBody,

  replay: replayAnthropic,
  collector: anthropicCollector,
};

/** Checks whether a tool choice requests tools; `none` does not. */
const asksForTools = (choice: Json | undefined): boolean => {
  const type = objectOf(choice)?.type;
  return type !== undefined && type !== 'none';
};

const isToolPart = ({ type }: JsonObject): boolean =>
  typeof type === 'string' && (type.endsWith('tool_use') || type.endsWith('tool_result'));

/** Anthropic's status for an overloaded provider. */
const overloaded = 529;

/** Anthropic's error types by status; the gateway's own code is sent as `code`. */
const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

function errorBody(error: GatewayError): JsonObject {
  const { code: status, type: code, message, request_id, ...data } = error.toBody().error;
  return {
    type: 'error',
    error: { ...(data as JsonObject), type: errorTypes[status] ?? 'invalid_request_error', message, code },
    ...(typeof request_id === 'string' && { request_id }),
  } satisfies { [key: string]: Json };
}
