/** Calls a handler as a host does: an API Gateway proxy event in, status and parsed body out. */

import type { HttpEvent, HttpHandler } from '#core/contracts/http.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import { routes } from '#features/routes.ts';
import { chatHandlers, httpHandlers } from '#lambdas/handlers.ts';
import type { ChatEndpointPorts } from '#lambdas/middleware/chat-endpoint.ts';
import type { Loose } from './loose.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Loose;
  readonly text: string;
}

interface Request {
  readonly key?: string;
  readonly body?: unknown;
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Caller identity as API Gateway reports it. */
  readonly identity?: object;
}

/** Returns the event that API Gateway builds for a call. */
export function eventTo(
  method: string,
  target: string,
  { key, body, raw, headers = {}, identity }: Request = {},
): HttpEvent {
  const { pathname, searchParams } = new URL(target, 'http://gateway.test');
  const found = routes.find((route) => matches(route.path, pathname) && (route.method === method || method === 'HEAD'));
  const route = found ?? routes.find((candidate) => matches(candidate.path, pathname));
  if (!route) throw new Error(`no route for ${pathname}`);
  const sent: Record<string, string> = { 'content-type': 'application/json', ...headers };
  if (key !== undefined) sent['x-api-key'] = key;
  const query: Record<string, string[]> = {};
  for (const name of searchParams.keys()) query[name] = searchParams.getAll(name);
  return {
    httpMethod: method,
    path: pathname,
    resource: route.path,
    pathParameters: parameters(route.path, pathname),
    headers: sent,
    multiValueHeaders: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]])),
    multiValueQueryStringParameters: query,
    body: raw ?? (body === undefined ? null : JSON.stringify(body)),
    isBase64Encoded: false,
    requestContext: { requestId: 'request-1', ...(identity && { identity }) },
  } as unknown as HttpEvent;
}

export function caller(ports: GatewayPorts & ChatEndpointPorts, host: { readonly endsAtMs?: number } = {}) {
  const handlers: Readonly<Record<string, HttpHandler>> = { ...httpHandlers(ports), ...chatHandlers(ports) };
  return async (method: string, target: string, request: Request = {}): Promise<Answer> => {
    const { signal } = request;
    const event = eventTo(method, target, request);
    const { handledBy } = routes.find(({ path }) => path === event.resource)!;
    const reply = await handlers[handledBy]!(event, {
      awsRequestId: 'request-1',
      ...host,
      ...(signal && { signal }),
    });
    const text = await textOf(reply);
    const json = reply.headers['content-type']?.startsWith('application/json');
    return { status: reply.statusCode, headers: reply.headers, text, body: json ? JSON.parse(text) : text };
  };
}

/** Returns the complete body of a handler's response. */
export async function textOf({ body, finished }: Awaited<ReturnType<HttpHandler>>): Promise<string> {
  let text = '';
  if (typeof body === 'string') text = body;
  else for await (const chunk of body) text += chunk;
  await finished;
  return text;
}

const segments = (path: string) => path.split('/');

function matches(template: string, path: string): boolean {
  const [wanted, given] = [segments(template), segments(path)];
  return wanted.length === given.length && wanted.every((part, i) => part.startsWith('{') || part === given[i]);
}

function parameters(template: string, path: string): Record<string, string> {
  const given = segments(path);
  return Object.fromEntries(
    segments(template).flatMap((part, i) => (part.startsWith('{') ? [[part.slice(1, -1), given[i] ?? '']] : [])),
  );
}
