/** Anthropic messages. Only `message_stop` completes a stream normally. */

import type { JsonObject } from '#core/kernel/json.ts';
import { objectsOf, textOf } from '#core/kernel/narrow.ts';
import type { Frame } from './lines.ts';
import type { ProviderCall } from './ports.ts';
import { BadReply, parseObject, refuseError } from './reply.ts';
import type { FrameReader, Wire } from './wire.ts';

const version = '2023-06-01';

export const anthropicWire: Wire = {
  dialect: 'anthropic',
  defaultBaseUrl: 'https://api.anthropic.com',
  frames: 'sse',
  path: (baseUrl) => (baseUrl.endsWith('/v1') ? '/messages' : '/v1/messages'),

  headers(key, { headers }) {
    const beta = headers['anthropic-beta'];
    return {
      'anthropic-version': version,
      ...(key !== undefined && { 'x-api-key': key }),
      ...(beta !== undefined && { 'anthropic-beta': beta }),
    };
  },

  body: anthropicBody,
  leftOut: ({ messages }) => (objectsOf(messages).every(isReadable) ? [] : ['messages.content.thinking']),

  reply(body) {
    refuseError(body);
    if (!Array.isArray(body.content)) throw new BadReply('it has no content');
    return body;
  },

  stream: () => new EventReader(),
};

function anthropicBody({ model, body, stream }: ProviderCall): JsonObject {
  const { stream: _stream, ...rest } = withoutUnsigned(body);
  return { ...rest, model, ...(stream && { stream }) };
}

/**
 * Checks whether thinking was signed by its vendor, which refuses unsigned thinking. The gateway creates unsigned
 * thinking from other providers' reasoning, and clients send it back.
 */
export const isSigned = ({ type, signature }: JsonObject): boolean => type !== 'thinking' || Boolean(textOf(signature));

const isReadable = ({ content }: JsonObject): boolean => objectsOf(content).every(isSigned);

/** Returns the body without unsigned thinking, and without messages that contained nothing else. */
function withoutUnsigned(body: JsonObject): JsonObject {
  const { messages } = body;
  if (!Array.isArray(messages) || objectsOf(messages).every(isReadable)) return body;
  const readable = objectsOf(messages).flatMap((message) => {
    if (isReadable(message)) return [message];
    const content = objectsOf(message.content).filter(isSigned);
    return content.length > 0 ? [{ ...message, content }] : [];
  });
  return { ...body, messages: readable };
}

class EventReader implements FrameReader {
  ended = false;
  readonly complete = false;
  #started = false;

  read({ data, event: name }: Frame): readonly JsonObject[] {
    const event = parseObject(data);
    refuseError(event);
    const type = event.type ?? name;
    if (type === 'error') throw new BadReply('it reports an error');
    if (type === 'ping') return [];
    // Some gateways repeat it, which clients refuse.
    if (type === 'message_start' && this.#started) return [];
    this.#started ||= type === 'message_start';
    if (type === 'message_stop') this.ended = true;
    return [event.type === undefined && name !== undefined ? { type: name, ...event } : event];
  }
}
