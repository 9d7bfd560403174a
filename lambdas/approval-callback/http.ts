/** Accepts votes from external channels: checks the signature, then the identity, then votes. */
import type { HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { routes } from '#features/routes.ts';
import { withErrorHandling } from '../middleware/error-handling.ts';
import { inputsOf, matchRoute } from '../middleware/route.ts';
import type { GatewayPorts } from '../ports.ts';
import { githubCallback } from './github.ts';
import { slackCallback } from './slack.ts';

type Callback = (ports: GatewayPorts, event: HttpEvent) => Promise<HttpReply>;

const callbacks: Readonly<Record<string, Callback>> = { slackCallback, githubCallback };
const own = routes.filter(({ handledBy }) => handledBy === 'approval-callback');

export const createHandler = (ports: GatewayPorts): HttpHandler =>
  withErrorHandling(ports, async (event) => {
    const route = matchRoute(own, event);
    inputsOf(route, event);
    const callback = callbacks[route.operation];
    if (!callback) throw new Error(`the routes table names the callback ${route.operation}, which does not exist`);
    return callback(ports, event);
  });
