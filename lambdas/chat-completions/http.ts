/** Chat completions, as OpenAI's clients call them, and what runs like them: responses and endpoints beside chat [responses.create] [passthrough.governed]. */
import type { HttpHandler } from '#core/contracts/http.ts';
import { routes } from '#core/contracts/routes.ts';
import { endpointNames, pathOfEndpoint } from '#core/dialects/endpoints.ts';
import { type ChatEndpointPorts, chatEndpoint } from '../middleware/chat-endpoint.ts';
import { endpointView, responsesView } from '../middleware/chat-views.ts';
import { createLocator } from '../middleware/router.ts';

export function createHandler(ports: ChatEndpointPorts): HttpHandler {
  const endpoint = (view?: typeof responsesView) => chatEndpoint('chat-completions', 'openai', ports, view);
  const completions = endpoint();
  const others: Readonly<Record<string, HttpHandler>> = {
    '/v1/responses': endpoint(responsesView),
    ...Object.fromEntries(endpointNames.map((name) => [`/v1${pathOfEndpoint(name)}`, endpoint(endpointView(name))])),
  };
  const located = createLocator(routes.filter(({ handledBy }) => handledBy === 'chat-completions'));
  return (given, context) => {
    const event = located(given);
    return (others[event.resource] ?? completions)(event, context);
  };
}
