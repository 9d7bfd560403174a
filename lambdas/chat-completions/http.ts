/** Chat completions, as OpenAI's clients call them, and responses, which run as chat completions [responses.create]. */
import type { HttpHandler } from '#core/contracts/http.ts';
import { type ChatEndpointPorts, chatEndpoint } from '../middleware/chat-endpoint.ts';
import { responsesView } from '../middleware/chat-views.ts';

export function createHandler(ports: ChatEndpointPorts): HttpHandler {
  const completions = chatEndpoint('chat-completions', 'openai', ports);
  const responses = chatEndpoint('chat-completions', 'openai', ports, responsesView);
  return (event, context) => (event.resource === '/v1/responses' ? responses : completions)(event, context);
}
