/** Views of chat calls: converted to a dialect before the pipeline, and back after it. */
import { isStream } from '#core/chat/answering.ts';
import type { ChatView } from '#core/chat/chat-view.ts';
import type { EndpointName } from '#core/contracts/chat.ts';
import { type ErrorCode, errorKinds, GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { objectOf, textOf } from '#core/kernel/narrow.ts';
import { endpoints, type Speech } from '#core/models/dialects/endpoints.ts';
import type { ResponseEvents } from '#core/models/dialects/responses/events.ts';
import { encodeSse } from '#core/models/dialects/sse.ts';
import { member } from '#core/models/dialects/wire.ts';

const responses = lazyImport(() =>
  Promise.all([
    import('#core/models/dialects/responses/request.ts'),
    import('#core/models/dialects/responses/events.ts'),
    import('#core/chat/responses/open.ts'),
  ]),
);
const responseMembers = lazyImport(() => import('#core/models/dialects/responses/member-path.ts'));
const endpointRequests = lazyImport(() => import('#core/models/dialects/endpoint-request.ts'));

/** `/v1/responses` over chat completions [responses.create]. */
export const responsesView: ChatView = {
  operation: 'responses',
  async open(request, { ports: { clock, storedObjects: store }, principal, snapshot, sessionId }) {
    const [{ readResponsesRequest }, { ResponseEvents, responseOf }, { retentionOf }] = await responses();
    const { body: read, leftOut } = readResponsesRequest(request);
    const keep = await retentionOf(request, { store, principal, snapshot, sessionId });
    const body = keep ? { ...read, ...member('metadata', request.metadata ?? undefined) } : read;
    if (!keep && request.store === true) leftOut.push('store');
    const failed = async (fault: GatewayError) => (await responseMembers()).inResponsesWords(fault, request);
    return {
      body,
      keep,
      leftOut,
      failed,
      wire: { encode: (event) => encodeSse(textOf(event.type), JSON.stringify(event)), terminator: '' },
      answer(reply) {
        const id = reply.headers['x-envelope-id'] ?? '';
        const context = { id, createdAt: Math.floor(clock.now() / 1000), stored: () => keep?.stored ?? false };
        if (isStream(reply.body))
          return { ...reply, body: viewed(reply.body, new ResponseEvents(request, context), failed) };
        // A review has the same answer on every chat surface.
        if (reply.status !== 200) return reply;
        return { ...reply, body: responseOf(reply.body, request, context) };
      },
    };
  },
};

async function* viewed(
  events: AsyncIterable<JsonObject>,
  view: ResponseEvents,
  inOwnWords: (fault: GatewayError) => Promise<GatewayError>,
): AsyncGenerator<JsonObject> {
  for await (const event of events) {
    const error = objectOf(event.error);
    if (error) return yield* view.failed(await inOwnWords(faultOf(error)));
    yield* view.next(event);
  }
  yield* view.end();
}

/** Converts the dialect's error event back to the error. */
function faultOf({ type, message, code: _status, ...data }: JsonObject): GatewayError {
  const code = typeof type === 'string' && Object.hasOwn(errorKinds, type) ? (type as ErrorCode) : 'server_error';
  return new GatewayError(code, textOf(message) ?? '', { data });
}

/**
 * Returns the view of another endpoint: each text is a message, so that filters, limits and evidence of chat apply
 * [passthrough.governed].
 */
export const endpointView = (name: EndpointName): ChatView => ({
  operation: name,
  form: endpoints[name].form,
  async open(request) {
    const { readEndpointRequest } = await endpointRequests();
    return {
      body: readEndpointRequest(name, request),
      wire: { encode: (event) => encodeSse(undefined, JSON.stringify(event)), terminator: '' },
      answer: (reply) =>
        endpoints[name].speech && reply.status === 200 ? { ...reply, speech: reply.body as unknown as Speech } : reply,
    };
  },
});
