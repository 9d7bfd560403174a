/**
 * Chat completions in OpenAI's form, and related endpoints: responses and passthrough [responses.create]
 * [passthrough.governed].
 */

import { endpointNames } from '#core/contracts/chat.ts';
import type { HttpHandler } from '#core/contracts/http.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { pathOfEndpoint } from '#core/models/dialects/endpoints.ts';
import { routes } from '#features/routes.ts';
import { type ChatEndpointPorts, chatEndpoint } from '../middleware/chat-endpoint.ts';
import { endpointView, responsesView, startView, uploadView } from '../middleware/chat-views.ts';
import { createLocator } from '../middleware/router.ts';

export function createHandler(ports: ChatEndpointPorts): HttpHandler {
  const endpoint = (view?: typeof responsesView) => chatEndpoint('chat-completions', 'openai', ports, view);
  const completions = endpoint();
  const others: Readonly<Record<string, HttpHandler>> = {
    '/v1/responses': endpoint(responsesView),
    ...Object.fromEntries(endpointNames.map((name) => [`/v1${pathOfEndpoint(name)}`, endpoint(endpointView(name))])),
  };
  const own = routes.filter(({ handledBy }) => handledBy === 'chat-completions');
  // Loaded with the first use, because few callers have batches.
  const loaded = lazyImport(async () => {
    const { batchesHandler } = await import('./batches.ts');
    const paths = own.filter(({ path }) => keptPaths.test(path));
    return batchesHandler(paths, ports);
  });
  const batches: HttpHandler = async (event, context) => (await loaded())(event, context);
  const made: Readonly<Record<string, HttpHandler>> = {
    'POST /v1/files': endpoint(uploadView),
    'POST /v1/batches': endpoint(startView),
  };
  const located = createLocator(own);
  return (given, context) => {
    const event = located(given);
    const handler =
      made[`${event.httpMethod} ${event.resource}`] ??
      (keptPaths.test(event.resource) ? batches : others[event.resource]);
    return (handler ?? completions)(event, context);
  };
}

/** Paths of objects that a provider stores for callers. */
const keptPaths = /^\/v1\/((files|batches)(\/|$)|responses\/)/;
