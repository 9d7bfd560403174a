/**
 * Accepts votes from external channels. Each callback checks the signature, then the identity, then records the vote.
 */
import type { HttpHandler } from '#core/contracts/http.ts';
import { routes } from '#features/routes.ts';
import { boundedBody, headerOf, jsonObject } from '../middleware/body.ts';
import { withErrorHandling } from '../middleware/error-handling.ts';
import { replyOf } from '../middleware/http-endpoint.ts';
import { inputsOf, matchRoute } from '../middleware/route.ts';
import type { GatewayPorts } from '../ports.ts';

const ownRoutes = routes.filter(({ handledBy }) => handledBy === 'approval-callback');

export const createHandler = (ports: GatewayPorts): HttpHandler =>
  withErrorHandling(ports, async (event) => {
    const route = matchRoute(ownRoutes, event);
    inputsOf(route, event);
    if (!route.callback) throw new Error(`the definition of ${route.operation} names no callback`);
    const callback = await route.callback();
    const bytes = () => boundedBody(event, route);
    const { finished, ...reply } = await callback(ports, {
      header: (name) => headerOf(event, name),
      bytes,
      json: () => jsonObject(event, bytes(), { numbers: 'double' }),
    });
    return { ...replyOf(reply), ...(finished && { finished }) };
  });
