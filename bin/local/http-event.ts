/** A Node request as the API Gateway proxy event that doors take. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { HttpEvent } from '#core/contracts/http.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Match } from './http-router.ts';

export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The path as sent, never normalised; of the absolute form (`GET http://host/path`) what follows the authority. */
export function targetOf(url: string): Target {
  const origin = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const relative = origin === '' || origin.startsWith('?') ? `/${origin}` : origin;
  if (!relative.startsWith('/')) throw invalidRequest('The request target is no path; send one that begins with "/".');
  const [path = '/', ...query] = relative.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

/** Names in Host that are ours. A web page that rebinds its own name to our address is stopped here (contract §2). */
export function checkHost(request: IncomingMessage, listenHost: string): void {
  const given = rawHeaders(request).flatMap(([name, value]) => (name === 'host' ? [value] : []));
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '')?.[1];
  if (given.length !== 1) throw invalidRequest('Send exactly one Host header.');
  for (const host of absolute === undefined ? given : [...given, absolute]) {
    if (isOurs(host, listenHost)) continue;
    throw new GatewayError('forbidden', 'The Host header names another host than this gateway; use its own address.');
  }
}

function isOurs(host: string, listenHost: string): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d{1,5})?$/i
    .exec(host)?.[1]
    ?.toLowerCase()
    .replace(/^\[|\]$/g, '');
  if (name === undefined) return false;
  if (['localhost', '127.0.0.1', '::1', listenHost.toLowerCase()].includes(name)) return true;
  // Rebinding needs a name: where every address is listened on, an address is as good as the next.
  return ['0.0.0.0', '::'].includes(listenHost) && /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)$/.test(name);
}

export function eventOf(
  request: IncomingMessage,
  target: Target,
  match: Match,
  body: Buffer,
  requestId: string,
): HttpEvent {
  const headers = rawHeaders(request);
  const query = [...target.query];
  const text = body.length > 0 && isUtf8(body);
  const event = {
    httpMethod: request.method ?? 'GET',
    path: target.path,
    resource: match.resource,
    pathParameters: orNull(match.pathParameters),
    headers: Object.fromEntries(headers),
    multiValueHeaders: grouped(headers),
    queryStringParameters: orNull(Object.fromEntries(query)),
    multiValueQueryStringParameters: orNull(grouped(query)),
    body: body.length === 0 ? null : body.toString(text ? 'utf8' : 'base64'),
    isBase64Encoded: body.length > 0 && !text,
    stageVariables: null,
    requestContext: {
      requestId,
      httpMethod: request.method ?? 'GET',
      path: target.path,
      resourcePath: match.resource,
      identity: { sourceIp: request.socket.remoteAddress ?? '' },
    },
  };
  return event as unknown as HttpEvent; // the rest of the context tells of an AWS account
}

/** Names in lower case, every occurrence kept: a header sent twice is for the door to judge. */
function rawHeaders({ rawHeaders: flat }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < flat.length; at += 2) pairs.push([(flat[at] ?? '').toLowerCase(), flat[at + 1] ?? '']);
  return pairs;
}

function grouped(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [name, value] of pairs) groups.set(name, [...(groups.get(name) ?? []), value]);
  return Object.fromEntries(groups);
}

const orNull = <T extends object>(fields: T): T | null => (Object.keys(fields).length === 0 ? null : fields);
