/** Chat completions, as OpenAI's clients call them, and what runs like them: responses and embeddings [responses.create]. */
import type { HttpHandler } from '#core/contracts/http.ts';
import { type ChatEndpointPorts, chatEndpoint } from '../middleware/chat-endpoint.ts';
import { embeddingsView, responsesView } from '../middleware/chat-views.ts';

export function createHandler(ports: ChatEndpointPorts): HttpHandler {
  const endpoint = (view?: typeof responsesView) => chatEndpoint('chat-completions', 'openai', ports, view);
  const completions = endpoint();
  const others: Readonly<Record<string, HttpHandler>> = {
    '/v1/responses': endpoint(responsesView),
    '/v1/embeddings': endpoint(embeddingsView),
  };
  return (event, context) => (others[event.resource] ?? completions)(event, context);
}
