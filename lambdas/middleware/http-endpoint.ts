/** The common HTTP handler: route → principal → operation → reply. */

import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { opensToPages, type Route } from '#core/contracts/route.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { admitRequest } from '#core/limits/admit-request.ts';
import type { Endpoint } from '#core/operations/endpoint.ts';
import type { Call, Operation, Reply, RoutedOperation } from '#core/operations/operation.ts';
import { routes } from '#features/routes.ts';
import type { GatewayPorts } from '../ports.ts';
import { headerOf, jsonBody, textBody } from './body.ts';
import { withCors } from './cors.ts';
import { withErrorHandling } from './error-handling.ts';
import { identify, snapshotFor } from './identify.ts';
import { inputsOf, matchRoute } from './route.ts';
import { createLocator } from './router.ts';
import { traceOf } from './trace-of.ts';

/** Operations that this process implements, by id. */
const servedRoutes: Readonly<Record<string, RoutedOperation>> = Object.fromEntries(
  routes.flatMap((route) => (route.run ? [[route.operation, { route, run: loadedOnce(route.run) }]] : [])),
);

/** Returns an operation that is loaded at its first call. */
function loadedOnce(load: NonNullable<Endpoint['run']>): Operation {
  const loaded = lazyImport(async () => load());
  return async (call) => (await loaded())(call);
}

export function httpEndpoint(name: FunctionName, ports: GatewayPorts): HttpHandler {
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
    const snapshot = await snapshotFor(event, ports, { evenStale: mayBeStale(route) });
    const principal = await identify(event, route, snapshot, ports);
    const operation = servedRoutes[route.operation]?.run;
    if (!operation) throw new Error(`the definition of ${route.operation} names no implementation`);
    const call: Call = {
      ports,
      route,
      principal,
      snapshot,
      ...inputsOf(route, event),
      served: servedRoutes,
      endsAtMs: context.endsAtMs,
      signal: context.signal,
      header: (header) => headerOf(event, header),
      body: () => jsonBody(event, route),
      text: () => textBody(event, route),
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

  const closed = new Set(own.filter(({ surface }) => !opensToPages(surface)).map(({ path }) => path));
  const plain = withErrorHandling(ports, answer);
  const open = own.filter(({ surface }) => opensToPages(surface));
  const forPages = open.length > 0 ? withCors(open, ports, answer) : plain;
  const located = createLocator(own);
  return (event, context) => {
    const found = located(event);
    return (closed.has(found.resource) ? plain : forPages)(found, context);
  };
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
