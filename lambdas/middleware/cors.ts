/**
 * CORS: pages from `server.cors.allowed_origins` may call the gateway and MCP surfaces and read the responses. Other
 * origins get no CORS header. Keys are sent in separate headers, so browser credentials are never allowed.
 */

import { assertOrigin, isListed } from '#core/configuration/identity/web-origin.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { GatewayPorts } from '../ports.ts';
import type { ErrorShape } from './answers.ts';
import { headerOf, headerValues } from './body.ts';
import { withErrorHandling } from './error-handling.ts';
import { matchRoute } from './route.ts';

/** Time for which browsers cache preflights, and thus the longest time for which a removed origin remains usable. */
const rememberedSeconds = 600;

/**
 * Wraps a handler as `withErrorHandling` does, for calls from web pages. Answers preflights before checking for a key.
 */
export function withCors(
  routes: readonly Route[],
  ports: Pick<GatewayPorts, 'telemetry' | 'snapshots'>,
  answer: (event: HttpEvent, context: HttpContext) => Promise<HttpReply>,
  shape?: ErrorShape,
): HttpHandler {
  const preflighted = async (event: HttpEvent) =>
    preflight(routes, event, (await ports.snapshots.current()).configuration.server.cors.allowed_origins);
  const answered = (event: HttpEvent, context: HttpContext) =>
    event.httpMethod === 'OPTIONS' ? preflighted(event) : answer(event, context);
  return withErrorHandling(ports, answered, shape, readableByPages(ports));
}

/**
 * Answers a preflight with the allowed methods and headers. All requested headers are allowed, because client libraries
 * send their own, and relevant headers are checked with the call itself.
 * @throws GatewayError 405 if no origins are configured, 403 for an origin that is not configured.
 */
function preflight(routes: readonly Route[], event: HttpEvent, allowed: readonly string[]): HttpReply {
  if (allowed.length === 0) matchRoute(routes, event); // throws 405, because no route has the method
  const methods = routes.filter(({ path }) => path === event.resource).map(({ method }) => method);
  const origins = headerValues(event, 'origin');
  assertOrigin(origins, headerOf(event, 'host'), allowed);
  const listed = origins[0] !== undefined && isListed(origins[0], allowed);
  return {
    statusCode: 204,
    headers: {
      allow: [...methods, 'OPTIONS'].join(', '),
      ...(listed && {
        'access-control-allow-methods': methods.join(', '),
        ...allowedHeaders(event),
        'access-control-max-age': String(rememberedSeconds),
      }),
    },
    body: '',
  };
}

function allowedHeaders(event: HttpEvent): Record<string, string> {
  const asked = headerValues(event, 'access-control-request-headers').join(',');
  if (asked === '') return {};
  const names = asked.split(',').map((name) => name.trim());
  if (names.every((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name)))
    return { 'access-control-allow-headers': names.join(', ') };
  const found = JSON.stringify(asked.slice(0, 200));
  throw invalidRequest(`Access-Control-Request-Headers is ${found}; send names of headers, separated by commas.`);
}

/** Exposes all headers of responses and refusals to web pages, such as `retry-after` and `mcp-session-id`. */
function readableByPages({ snapshots }: Pick<GatewayPorts, 'snapshots'>) {
  return async (event: HttpEvent, reply: HttpReply): Promise<void> => {
    let allowed: readonly string[];
    try {
      allowed = (await snapshots.current()).configuration.server.cors.allowed_origins;
    } catch {
      return; // without a configuration, no origins
    }
    if (allowed.length === 0) return;
    const [origin, second] = headerValues(event, 'origin');
    const names = Object.keys(reply.headers).join(', ');
    if (!allowed.includes('*')) reply.headers.vary = 'Origin';
    if (origin === undefined || second !== undefined || !isListed(origin, allowed)) return;
    reply.headers['access-control-allow-origin'] = allowed.includes('*') ? '*' : origin;
    if (event.httpMethod !== 'OPTIONS') reply.headers['access-control-expose-headers'] = names;
  };
}
