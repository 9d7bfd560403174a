/**
 * Chat completions in OpenAI's format, and related endpoints: responses, passthrough, and objects that providers store
 * [responses.create] [passthrough.governed].
 */

import type { ChatView } from '#core/chat/chat-view.ts';
import { endpointNames } from '#core/contracts/chat.ts';
import type { HttpHandler } from '#core/contracts/http.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { pathOfEndpoint } from '#core/models/dialects/endpoints.ts';
import type { Endpoint } from '#core/operations/endpoint.ts';
import { routes } from '#features/routes.ts';
import { type ChatEndpointPorts, chatEndpoint } from '../middleware/chat-endpoint.ts';
import { endpointView } from '../middleware/chat-views.ts';
import { createLocator } from '../middleware/router.ts';

export function createHandler(ports: ChatEndpointPorts): HttpHandler {
  const endpoint = (view?: ChatView) => chatEndpoint('chat-completions', 'openai', ports, view);
  const completions = endpoint();
  const own = routes.filter(({ handledBy }) => handledBy === 'chat-completions');
  const stored = onFirstUse(async () => (await import('./stored-objects.ts')).storedObjectsHandler(own, ports));
  const handlerOf = ({ view, stored: ofStored }: Endpoint): HttpHandler | undefined =>
    view ? onFirstUse(async () => endpoint(await view())) : ofStored && stored;
  const handlers: Readonly<Record<string, HttpHandler | undefined>> = {
    ...Object.fromEntries(
      own.flatMap((route) => {
        const handler = handlerOf(route);
        // A route answers HEAD and preflight requests based on its path alone.
        return [`${route.method} ${route.path}`, route.path].map((key) => [key, handler]);
      }),
    ),
    ...Object.fromEntries(endpointNames.map((name) => [`/v1${pathOfEndpoint(name)}`, endpoint(endpointView(name))])),
  };
  const located = createLocator(own);
  return (given, context) => {
    const event = located(given);
    const { httpMethod, resource } = event;
    return (handlers[`${httpMethod} ${resource}`] ?? handlers[resource] ?? completions)(event, context);
  };
}

/** Loads a handler that few callers need when its first request arrives. */
function onFirstUse(load: () => Promise<HttpHandler>): HttpHandler {
  const loaded = lazyImport(load);
  return async (event, context) => (await loaded())(event, context);
}
