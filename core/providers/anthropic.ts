/** Anthropic messages. A stream has ended well only after `message_stop`. */
import type { JsonObject } from '#core/kernel/json.ts';
import type { FrameReader, Wire } from './http-provider.ts';
import type { Frame } from './lines.ts';
import type { ProviderCall } from './ports.ts';
import { BadReply, parseObject, refuseError } from './reply.ts';

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

  reply(body) {
    refuseError(body);
    if (!Array.isArray(body.content)) throw new BadReply('it has no content');
    return body;
  },

  stream: () => new EventReader(),
};

function anthropicBody({ model, body, stream }: ProviderCall): JsonObject {
  if (stream) return { ...body, model, stream: true };
  const { stream: _stream, ...rest } = body;
  return { ...rest, model };
}

class EventReader implements FrameReader {
  ended = false;
  readonly complete = false;

  read({ data, event: name }: Frame): readonly JsonObject[] {
    const event = parseObject(data);
    refuseError(event);
    const type = event.type ?? name;
    if (type === 'error') throw new BadReply('it reports an error');
    if (type === 'ping') return [];
    if (type === 'message_stop') this.ended = true;
    return [event];
  }
}
