/** Chat views of other endpoints. */
import type { ChatView } from '#core/chat/chat-view.ts';
import type { EndpointName } from '#core/contracts/chat.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { endpoints, type Speech } from '#core/models/dialects/endpoints.ts';
import { encodeSse } from '#core/models/dialects/sse.ts';

const endpointRequests = lazyImport(() => import('#core/models/dialects/endpoint-request.ts'));

/**
 * Returns another endpoint's view: each string becomes a message, so that chat's filters, limits and evidence apply
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
