/** `/v1/responses` over chat completions [responses.create]. */
import { isStream } from '#core/chat/answering.ts';
import type { ChatView } from '#core/chat/chat-view.ts';
import { type ErrorCode, errorKinds, GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, textOf } from '#core/kernel/narrow.ts';
import { ResponseEvents, responseOf } from '#core/models/dialects/responses/events.ts';
import { inResponsesWords } from '#core/models/dialects/responses/member-path.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';
import { encodeSse } from '#core/models/dialects/sse.ts';
import { member } from '#core/models/dialects/wire.ts';
import { keepResponse } from './keep.ts';
import { retentionOf } from './open.ts';

export const responsesView: ChatView = {
  operation: 'responses',
  async open(request, { ports: { clock, storedObjects: store }, principal, snapshot, sessionId }) {
    const { body: read, leftOut } = readResponsesRequest(request);
    const keep = await retentionOf(request, { store, principal, snapshot, sessionId });
    const body = keep ? { ...read, ...member('metadata', request.metadata ?? undefined) } : read;
    if (!keep && request.store === true) leftOut.push('store');
    const failed = async (fault: GatewayError) => inResponsesWords(fault, request);
    return {
      body,
      keep,
      ...(keep && { keepAnswer: (ports, finished) => keepResponse(ports, finished, keep) }),
      leftOut,
      failed,
      wire: { encode: (event) => encodeSse(textOf(event.type), JSON.stringify(event)), terminator: '' },
      answer(reply) {
        const id = reply.headers['x-envelope-id'] ?? '';
        const context = { id, createdAt: Math.floor(clock.now() / 1000), stored: () => keep?.stored ?? false };
        if (isStream(reply.body))
          return { ...reply, body: viewEvents(reply.body, new ResponseEvents(request, context), failed) };
        // A review gets the same response on every chat surface.
        if (reply.status !== 200) return reply;
        return { ...reply, body: responseOf(reply.body, request, context) };
      },
    };
  },
};

async function* viewEvents(
  events: AsyncIterable<JsonObject>,
  view: ResponseEvents,
  inOwnWords: (fault: GatewayError) => Promise<GatewayError>,
): AsyncGenerator<JsonObject> {
  for await (const event of events) {
    const error = objectOf(event.error);
    if (error) return yield* view.failed(await inOwnWords(errorFromEvent(error)));
    yield* view.next(event);
  }
  yield* view.end();
}

/** Converts the API format's error event back to the error. */
function errorFromEvent({ type, message, code: _status, ...data }: JsonObject): GatewayError {
  const code = typeof type === 'string' && Object.hasOwn(errorKinds, type) ? (type as ErrorCode) : 'server_error';
  const requestId = textOf(data.request_id);
  const origin = requestId === undefined ? undefined : { provider: textOf(data.provider) ?? '', requestId };
  return new GatewayError(code, textOf(message) ?? '', { data, origin });
}
