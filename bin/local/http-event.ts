/** Converts a Node request to the API Gateway proxy event that handlers take. */
import type { IncomingMessage } from 'node:http';
import type { HttpEvent } from '#core/contracts/http.ts';
import { bareObject } from '#core/kernel/bare-object.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Match } from '#lambdas/middleware/router.ts';
import { callerAddress, edgeTokenHeader, isFromEdge, type LoadBalancer } from './load-balancer.ts';

interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

const noQuery = new URLSearchParams();

/**
 * Returns the path as sent, never normalised; for the absolute form (`GET http://host/path`), the part after the
 * authority.
 */
export function targetOf(url: string): Target {
  if (url.startsWith('/') && !url.includes('?')) return { path: url, query: noQuery };
  const origin = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const relative = origin === '' || origin.startsWith('?') ? `/${origin}` : origin;
  if (!relative.startsWith('/'))
    throw invalidRequest('The request target is not a path; send one that begins with "/".');
  const [path = '/', ...query] = relative.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}

/**
 * Checks that Host is the listener's own name, which stops a web page that rebinds its name to the listener's address.
 * @param names under which callers reach a load balancer in front of the listener.
 */
export function checkHost(request: IncomingMessage, listenHost: string, names: readonly string[] = []): void {
  // The HTTP/1 parser accepts a request line with any version.
  if (request.httpVersionMajor !== 1)
    throw invalidRequest(`The request line says HTTP/${request.httpVersion}; this connection takes HTTP/1.1.`);
  const given = hostsOf(request);
  const [host] = given;
  if (host === undefined || given.length > 1) throw invalidRequest('Send exactly one Host header.');
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? '')?.[1];
  const isOwn = (given: string) => isOwnHost(given, listenHost, names);
  if (isOwn(host) && (absolute === undefined || isOwn(absolute))) return;
  throw new GatewayError(
    'forbidden',
    "The Host header names a host other than this gateway; use the gateway's own address.",
  );
}

/**
 * Checks `Expect`: a client may only expect `100-continue` [http.expectation].
 * @throws GatewayError `expectation_failed`
 */
export function checkExpectation({ expect }: { readonly expect?: string | undefined }): void {
  if (expect === undefined || expect.trim().toLowerCase() === '100-continue') return;
  throw new GatewayError(
    'expectation_failed',
    `Expect is ${JSON.stringify(expect.slice(0, 64))}; 100-continue is allowed. Send the request without it.`,
  );
}

/**
 * Checks the transfer coding: Node decodes only chunks and leaves other codings undecoded [http.expectation].
 * @throws GatewayError `invalid_request`
 */
export function checkTransferCoding({ 'transfer-encoding': coding }: IncomingMessage['headers']): void {
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return;
  throw invalidRequest(
    `Transfer-Encoding is ${JSON.stringify(coding.slice(0, 64))}; only chunked is allowed. Send the body without another coding.`,
  );
}

/** Returns the error that refuses to act as a proxy and open a tunnel [http.expectation]. */
export const noTunnel = (): GatewayError =>
  new GatewayError(
    'method_not_allowed',
    'CONNECT is not allowed: the gateway is not a forward proxy. Send the request to its own address.',
  );

/** Returns every occurrence of the Host header; Node itself keeps only the first one. */
function hostsOf({ rawHeaders: flat }: IncomingMessage): string[] {
  const hosts: string[] = [];
  for (let at = 0; at < flat.length; at += 2) {
    if (flat[at]?.length === 4 && flat[at]?.toLowerCase() === 'host') hosts.push(flat[at + 1] ?? '');
  }
  return hosts;
}

export function isOwnHost(host: string, listenHost: string, names: readonly string[] = []): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d{1,5})?$/i
    .exec(host)?.[1]
    ?.toLowerCase()
    .replace(/^\[|\]$/g, '');
  if (name === undefined) return false;
  if (['localhost', '127.0.0.1', '::1', listenHost.toLowerCase(), ...names].includes(name)) return true;
  // A rebinding attack needs a name. A listener on every address accepts any address.
  return ['0.0.0.0', '::'].includes(listenHost) && /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)$/.test(name);
}

/** The trusted load balancer, and the token of this process's edge. */
interface TrustedProxies {
  readonly loadBalancer?: LoadBalancer | undefined;
  readonly edgeToken?: string | undefined;
}

/** Returns the event for a request whose body has not been read. */
export function eventOf(
  request: IncomingMessage,
  target: Target,
  match: Match,
  requestId: string,
  { loadBalancer, edgeToken }: TrustedProxies = {},
): HttpEvent {
  // For requests from the edge, uses the client address that the edge saw, as with CloudFront [edge.forwarded].
  const viaEdge = isFromEdge(request, edgeToken);
  const headers = headersOf(request, viaEdge ? request.headers['x-forwarded-host'] : undefined);
  const tls = viaEdge ? request.headers['x-forwarded-proto'] === 'https' : loadBalancer?.tls;
  const query = target.query.size === 0 ? undefined : headerFields(target.query);
  const event = {
    httpMethod: request.method ?? 'GET',
    path: target.path,
    resource: match.resource,
    pathParameters: orNull(match.pathParameters),
    headers: headers.last,
    multiValueHeaders: headers.all,
    queryStringParameters: query?.last ?? null,
    multiValueQueryStringParameters: query?.all ?? null,
    body: null,
    isBase64Encoded: false,
    stageVariables: null,
    requestContext: {
      requestId,
      httpMethod: request.method ?? 'GET',
      path: target.path,
      resourcePath: match.resource,
      identity: { sourceIp: callerAddress(request, loadBalancer, edgeToken) },
      ...(tls && { domainName: headers.last.host }),
    },
  };
  return event as unknown as HttpEvent; // the rest of the context describes an AWS account
}

/** Returns headers by lower-case name, with every occurrence, because handlers check for duplicates. */
function headersOf({ rawHeaders: flat }: IncomingMessage, host: string | string[] | undefined): Fields {
  const fields = noFields();
  for (let at = 0; at < flat.length; at += 2) {
    const name = (flat[at] ?? '').toLowerCase();
    if (name === 'host' && typeof host === 'string') addField(fields, name, host);
    else if (name !== edgeTokenHeader) addField(fields, name, flat[at + 1] ?? '');
  }
  return fields;
}

/** The last value of each header name, and all values. */
interface Fields {
  readonly last: Record<string, string>;
  readonly all: Record<string, string[]>;
}

const noFields = (): Fields => ({ last: bareObject(), all: bareObject() });

function addField({ last, all }: Fields, name: string, value: string): void {
  last[name] = value;
  const values = all[name];
  if (values) values.push(value);
  else all[name] = [value];
}

function headerFields(pairs: Iterable<[string, string]>): Fields {
  const fields = noFields();
  for (const [name, value] of pairs) addField(fields, name, value);
  return fields;
}

const orNull = <T extends object>(fields: T): T | null => (Object.keys(fields).length === 0 ? null : fields);
