/** The MCP endpoint over HTTP: checks key, origin and body, calls the gateway, and responds with JSON or events. */

import { RoleTooLow } from '#core/configuration/identity/authorize.ts';
import { areBothHere, assertOrigin } from '#core/configuration/identity/web-origin.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { includesRole, type Route } from '#core/contracts/route.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { McpGateway } from '#core/mcp/gateway.ts';
import type { McpCall } from '#core/mcp/http-call.ts';
import type { OlderPorts, OlderStreams } from '#core/mcp/http-sse.ts';
import type { McpPorts } from '#core/mcp/ports.ts';
import { assertKnownVersion } from '#core/mcp/protocol/era.ts';
import { errorOf, mcpCodes, RpcFault, responseOf } from '#core/mcp/protocol/messages.ts';
import { resourceBase } from '#core/mcp/resource-address.ts';
import { routes } from '#features/routes.ts';
import { challengeOf, errorReply } from '../middleware/answers.ts';
import { headerOf, headerValues, rawBody } from '../middleware/body.ts';
import { withCors } from '../middleware/cors.ts';
import { replyOf } from '../middleware/http-endpoint.ts';
import { type AdmissionPorts, identify, snapshotFor } from '../middleware/identify.ts';
import { inputsOf, matchRoute } from '../middleware/route.ts';
import { traceOf } from '../middleware/trace-of.ts';
import { messageBody } from './message-body.ts';
import { streamReply, writeReply } from './replies.ts';

const ownRoutes = routes.filter((route) => route.handledBy === 'mcp');

/** Size above which a body takes noticeable time to parse. */
const largeBytes = 256 * 1024;

export function createHandler(ports: McpPorts & OlderPorts & AdmissionPorts, gateway: McpGateway): HttpHandler {
  let older: Promise<OlderStreams> | undefined;
  /** Loads support for the older streams at first use, because few clients use the older transport. */
  const olderStreams = () => {
    older ??= import('#core/mcp/http-sse.ts').then(({ OlderStreams }) => new OlderStreams(gateway, ports));
    return older;
  };

  const answer = async (event: HttpEvent, context: HttpContext): Promise<HttpReply> => {
    const route = matchRoute(ownRoutes, event);
    if (route.operation === 'health' || route.operation === 'mcpResource') inputsOf(route, event);
    if (route.operation === 'health') return replyOf({ body: { status: 'ok', version: ports.version } });
    if (route.operation === 'mcpResource') {
      const { configuration } = await ports.snapshots.current();
      // Clients that find metadata start a sign-in, which needs an issuer.
      if (configuration.identity.oidc.length === 0) throw new GatewayError('not_found', noIssuer);
      return replyOf({ body: resourceMetadata(event, configuration) });
    }
    let identity: Configuration['identity'] | undefined;
    try {
      const snapshot = await snapshotFor(event, ports);
      identity = snapshot.configuration.identity;
      const [origins, host] = [headerValues(event, 'origin'), headerOf(event, 'host')];
      if (!areBothHere(origins, host)) assertOrigin(origins, host, snapshot.configuration.server.cors.allowed_origins);
      const call = await readMcpCall(event, context, route, snapshot, ports);
      const { params } = inputsOf(route, event);
      return await ports.telemetry.continued(traceOf(event), () => serve(route, params, event, call));
    } catch (fault) {
      return refusalReply(event, fault, { inPlace: route.operation !== 'mcpSessionMessage', identity, route });
    }
  };

  const serve = async (
    { operation }: Route,
    params: Readonly<Record<string, string>>,
    event: HttpEvent,
    call: McpCall,
  ): Promise<HttpReply> => {
    // A posted message may declare its own revision, and the error must have its id.
    if (event.httpMethod !== 'POST') assertKnownVersion(call.headers);
    if (rawBody(event).length > largeBytes) await ports.pause(0); // lets other work run
    switch (operation) {
      case 'mcpStream':
        wantsEvents(event);
        return streamReply(await gateway.stream(call), ports.timeouts);
      case 'mcpEnd':
        return writeReply(gateway, await gateway.end(call), true, ports.timeouts);
      case 'mcpEvents':
        return streamReply(
          await (await olderStreams()).open(call, new URL(baseOf(event)).pathname.replace(/\/$/, '')),
          ports.timeouts,
        );
      case 'mcpSessionMessage':
        return writeReply(
          gateway,
          await (await olderStreams()).post(params.id ?? '', messageBody(event, call, false), call),
          false,
          ports.timeouts,
        );
      default:
        return writeReply(
          gateway,
          await gateway.post(messageBody(event, call, true), call),
          acceptsEvents(event),
          ports.timeouts,
        );
    }
  };
  return withCors(ownRoutes, ports, answer);
}

async function readMcpCall(
  event: HttpEvent,
  { signal }: HttpContext,
  route: Route,
  snapshot: Snapshot,
  ports: AdmissionPorts,
): Promise<McpCall> {
  const passed: Record<string, string> = {};
  for (const name of Object.keys(event.headers ?? {})) {
    const value = /^mcp-param-[a-z0-9-]{1,100}$/i.test(name) ? headerOf(event, name.toLowerCase()) : undefined;
    if (value !== undefined) passed[name.toLowerCase()] = value;
  }
  return {
    headers: {
      version: headerOf(event, 'mcp-protocol-version')?.trim(),
      method: headerOf(event, 'mcp-method')?.trim(),
      name: headerOf(event, 'mcp-name')?.trim(),
      session: headerOf(event, 'mcp-session-id'),
      lastEvent: headerOf(event, 'last-event-id'),
    },
    principal: await identify(event, route, snapshot, ports),
    snapshot,
    namedSession: headerOf(event, 'x-session-id'),
    passed,
    signal: signal ?? never,
  };
}

const never = new AbortController().signal;

const acceptsEvents = (event: HttpEvent): boolean => /text\/event-stream|\*\/\*/.test(headerOf(event, 'accept') ?? '');

/** Rejects a client that does not accept event streams. */
function wantsEvents(event: HttpEvent): void {
  if (headerOf(event, 'accept')?.includes('text/event-stream')) return;
  throw new RpcFault(mcpCodes.invalidRequest, 'Not Acceptable: the stream needs Accept: text/event-stream.', {
    status: 406,
  });
}

/**
 * Returns the reply for a refusal before a session exists: an HTTP status with a JSON-RPC body.
 * @param inPlace true if this HTTP response answers the message; otherwise the client only reads the status.
 * @param identity if it has no issuer, the metadata link is omitted, because a sign-in could not succeed
 * [identity.oidc-mcp].
 */
function refusalReply(event: HttpEvent, fault: unknown, { inPlace, identity, route }: RefusalContext): HttpReply {
  if (!(fault instanceof GatewayError) && !(fault instanceof RpcFault)) throw fault;
  const { error } = errorOf(fault);
  const shape = { body: () => responseOf(null, { error }) };
  if (fault instanceof RpcFault) {
    const body = JSON.stringify(responseOf(fault.id ?? null, { error }));
    const statusCode = fault.status === 200 && !inPlace ? 400 : fault.status;
    return { statusCode, headers: { 'content-type': 'application/json' }, body };
  }
  const reply = errorReply(fault, shape);
  if (identity && identity.oidc.length > 0) {
    const base = resourceBase(identity) ?? baseOf(event);
    const metadata = `resource_metadata="${base}/.well-known/oauth-protected-resource"`;
    if (reply.statusCode === 401) reply.headers['www-authenticate'] = challengeOf(fault, metadata);
    if (fault instanceof RoleTooLow && headerOf(event, 'authorization') !== undefined)
      reply.headers['www-authenticate'] = `Bearer error="insufficient_scope", ${scopeFor(identity, route)}${metadata}`;
  }
  if (reply.statusCode === 405) reply.headers.allow = takesPostAlone(event) ? 'POST' : 'POST, DELETE';
  return reply;
}

interface RefusalContext {
  readonly inPlace: boolean;
  readonly identity: Configuration['identity'] | undefined;
  readonly route: Route;
}

/** Returns the scopes whose configured role is accepted by the route (RFC 6750, `scope`), or an empty string. */
function scopeFor({ oidc }: Configuration['identity'], { access }: Route): string {
  if (access === 'open' || access === 'signed' || access === 'plane') return '';
  const callers = oidc.flatMap((issuer) => issuer.callers).filter(({ role }) => includesRole(role, access));
  const scopes = callers.flatMap(({ when }) => ['scope', 'scp'].flatMap((claim) => when[claim] ?? []));
  const plain = [...new Set(scopes)].filter((scope) => /^[!#-[\]-~]+$/.test(scope));
  return plain.length === 0 ? '' : `scope="${plain.join(' ')}", `;
}

/** Checks for a revision in which the endpoint accepts only POST. */
const takesPostAlone = (event: HttpEvent): boolean =>
  (headerOf(event, 'mcp-protocol-version')?.trim() ?? '') >= '2026-07-28';

/** Returns the protected resource metadata (RFC 9728) [identity.oidc-mcp]. */
const resourceMetadata = (event: HttpEvent, { identity }: Configuration): JsonObject => ({
  resource: identity.mcp_resource ?? `${baseOf(event)}/mcp`,
  resource_name: 'Agent Governance Gateway',
  authorization_servers: [...new Set(identity.oidc.map(({ issuer }) => issuer))],
  bearer_methods_supported: ['header'],
});

const noIssuer =
  'No issuer is configured, so there is nowhere to sign in. Send a key as X-API-Key or Authorization: Bearer.';

/** Domain that API Gateway gives an API; in China it has one more label. A host of one's own has no stage in its paths. */
const apiDomain = /\.amazonaws\.com(?:\.cn)?$/;

/** Returns the base address that the caller used, including API Gateway's domain and stage. */
function baseOf(event: HttpEvent): string {
  const { domainName, stage } = event.requestContext ?? {};
  if (!domainName) return `http://${headerOf(event, 'host') ?? 'localhost'}`;
  return apiDomain.test(domainName) && stage ? `https://${domainName}/${stage}` : `https://${domainName}`;
}
