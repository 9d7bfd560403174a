/** The shape of every HTTP door: route → principal → operation → reply, inside one middy chain. */
import middy from '@middy/core';
import type { Call, Operation, Reply } from '#core/admin/operation.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { routes } from '#core/contracts/routes.ts';
import type { GatewayPorts } from '../ports.ts';
import { type ErrorShape, standardHeaders, typedErrors } from './answers.ts';
import { headerOf, jsonBody, textBody } from './body.ts';
import { identify } from './identify.ts';
import { matchRoute } from './route.ts';

export function httpDoor(
  name: FunctionName,
  ports: GatewayPorts,
  operations: Readonly<Record<string, Operation>>,
): HttpHandler {
  const own = routes.filter((route) => route.handledBy === name && route.access !== 'signed');

  const answer = async (event: HttpEvent): Promise<HttpReply> => {
    const { route, params, query } = matchRoute(own, event);
    if (route.access === 'open') return replyOf({ body: { status: 'ok', version: ports.version } });
    const snapshot = await ports.snapshots.current();
    const principal = identify(event, route, snapshot);
    const operation = operations[route.operation];
    if (!operation) throw new Error(`the routes table names the operation ${route.operation}, which does not exist`);
    const call: Call = {
      ports,
      route,
      principal,
      snapshot,
      params,
      query,
      header: (header) => headerOf(event, header),
      body: () => jsonBody(event, route.operation),
      text: () => textBody(event, route.operation),
    };
    return replyOf(await operation(call));
  };

  return guarded(ports, answer);
}

/** The middy chain every HTTP door runs in. */
export function guarded(
  ports: Pick<GatewayPorts, 'telemetry'>,
  answer: (event: HttpEvent, context: HttpContext) => Promise<HttpReply>,
  shape?: ErrorShape,
): HttpHandler {
  const chain = middy<HttpEvent, HttpReply>()
    .use(standardHeaders())
    .use(typedErrors(ports.telemetry, shape))
    .handler(answer as never);
  return (event, context) => (chain as unknown as HttpHandler)(event, context);
}

export function replyOf({ status, headers, body, contentType }: Reply): HttpReply {
  return {
    statusCode: status ?? 200,
    headers: { 'content-type': contentType ?? 'application/json', ...headers },
    body: contentType === undefined ? JSON.stringify(body) : (body as HttpReply['body']),
  };
}
