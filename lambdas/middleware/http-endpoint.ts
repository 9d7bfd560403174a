/** The common HTTP handler: route → principal → operation → reply, in one middy chain. */

import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { opensToPages, type Route } from '#core/contracts/route.ts';
import { routes } from '#core/contracts/routes.ts';
import { admitRequest } from '#core/limits/admit-request.ts';
import type { Call, Operation, Reply } from '#core/operations/operation.ts';
import type { GatewayPorts } from '../ports.ts';
import { headerOf, jsonBody, textBody } from './body.ts';
import { withCors } from './cors.ts';
import { withErrorHandling } from './error-handling.ts';
import { identify } from './identify.ts';
import { inputsOf, matchRoute } from './route.ts';
import { createLocator } from './router.ts';
import { traceOf } from './trace-of.ts';

export function httpEndpoint(
  name: FunctionName,
  ports: GatewayPorts,
  operations: Readonly<Record<string, Operation>>,
): HttpHandler {
  const own = routes.filter((route) => route.handledBy === name && route.access !== 'signed');

  /** Runs the request in the caller's trace, like a chat call [trace.caller]. */
  const answer = (event: HttpEvent, context: HttpContext): Promise<HttpReply> =>
    ports.telemetry.continued(traceOf(event), () => answered(event, context));

  const answered = async (event: HttpEvent, context: HttpContext): Promise<HttpReply> => {
    const route = matchRoute(own, event);
    if (route.access === 'open') {
      inputsOf(route, event);
      return replyOf({ body: { status: 'ok', version: ports.version } });
    }
    const snapshot = await ports.snapshots.current({ evenStale: mayBeStale(route) });
    const principal = await identify(event, route, snapshot, ports);
    const operation = operations[route.operation];
    if (!operation) throw new Error(`the routes table names the operation ${route.operation}, which does not exist`);
    const call: Call = {
      ports,
      route,
      principal,
      snapshot,
      ...inputsOf(route, event),
      endsAtMs: context.endsAtMs,
      signal: context.signal,
      header: (header) => headerOf(event, header),
      body: () => jsonBody(event, route.operation),
      text: () => textBody(event, route.operation),
    };
    if (!route.counts) return replyOf(await operation(call));
    const { headers, booked } = await admitRequest(ports, call);
    try {
      const reply = replyOf(await operation(call));
      return { ...reply, headers: { ...headers, ...reply.headers }, finished: booked };
    } catch (fault) {
      await booked; // an error leaves no work to finish later
      throw fault;
    }
  };

  const handler = own.some(({ surface }) => opensToPages(surface))
    ? withCors(own, ports, answer)
    : withErrorHandling(ports, answer);
  const located = createLocator(own);
  return (event, context) => handler(located(event), context);
}

/**
 * Checks for routes that a data plane serves without its control plane: its status, and changes by platform
 * administrators.
 */
const mayBeStale = ({ surface, method, platform }: Route): boolean =>
  surface === 'admin' && (method === 'GET' || platform === true);

export function replyOf({ status, headers, body, contentType }: Reply): HttpReply {
  return {
    statusCode: status ?? 200,
    headers: { 'content-type': contentType ?? 'application/json', ...headers },
    body: contentType === undefined ? JSON.stringify(body) : (body as HttpReply['body']),
  };
}
