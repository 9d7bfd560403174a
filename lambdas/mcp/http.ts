/** The MCP endpoint as HTTP: key, origin, bounded body; then the gateway; then JSON or events. */

import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { type Route, routes } from '#core/contracts/routes.ts';
import { encodeSse } from '#core/dialects/sse.ts';
import { assertOrigin } from '#core/identity/web-origin.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { type Json, type JsonDefect, type JsonObject, jsonDefectOf, parseStrictBytes } from '#core/kernel/json.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import type { McpCall, McpGateway, McpReply } from '#core/mcp/gateway.ts';
import { endpointOf, type OlderPorts, OlderStreams } from '#core/mcp/http-sse.ts';
import type { McpPorts } from '#core/mcp/ports.ts';
import { errorOf, idOf, isObject, mcpCodes, RpcFault, responseOf } from '#core/mcp/protocol/messages.ts';
import type { MessageQueue } from '#core/mcp/sessions/message-queue.ts';
import { retryMs, type StreamEvent } from '#core/mcp/sessions/resumable-streams.ts';
import { challengeOf, errorReply } from '../middleware/answers.ts';
import { headerOf, headerValues, rawBody } from '../middleware/body.ts';
import { traceOf } from '../middleware/chat-endpoint.ts';
import { withCors } from '../middleware/cors.ts';
import { replyOf } from '../middleware/http-endpoint.ts';
import { type AdmissionPorts, identify } from '../middleware/identify.ts';
import { inputsOf, matchRoute } from '../middleware/route.ts';
import { sse } from '../middleware/sse.ts';

const own = routes.filter((route) => route.handledBy === 'mcp');

/** A body that takes some time to read. */
const largeBytes = 256 * 1024;

/** An answer that takes longer becomes a stream: what is silent for long is cut off on the way. */
const jsonWithinMs = 10_000;

export function createHandler(ports: McpPorts & OlderPorts & AdmissionPorts, gateway: McpGateway): HttpHandler {
  const older = new OlderStreams(gateway, ports);

  const answer = async (event: HttpEvent, context: HttpContext): Promise<HttpReply> => {
    const route = matchRoute(own, event);
    if (route.operation === 'health' || route.operation === 'mcpResource') inputsOf(route, event);
    if (route.operation === 'health') return replyOf({ body: { status: 'ok', version: ports.version } });
    if (route.operation === 'mcpResource') {
      const { configuration } = await ports.snapshots.current();
      return replyOf({ body: resourceMetadata(event, configuration) });
    }
    try {
      const snapshot = await ports.snapshots.current();
      assertOrigin(
        headerValues(event, 'origin'),
        headerOf(event, 'host'),
        snapshot.configuration.server.cors.allowed_origins,
      );
      const call = await callOf(event, context, route, snapshot, ports);
      const { params } = inputsOf(route, event);
      return await ports.telemetry.continued(traceOf(event), () => serve(route, params, event, call));
    } catch (fault) {
      return refusal(event, fault);
    }
  };

  const serve = async (
    { operation }: Route,
    params: Readonly<Record<string, string>>,
    event: HttpEvent,
    call: McpCall,
  ): Promise<HttpReply> => {
    if (rawBody(event).length > largeBytes) await ports.pause(0); // other work has a turn
    switch (operation) {
      case 'mcpStream':
        wantsEvents(event);
        return streamed(await gateway.stream(call), ports.timeouts);
      case 'mcpEnd':
        return written(gateway, await gateway.end(call), true, ports.timeouts);
      case 'mcpEvents':
        wantsEvents(event);
        return streamed(await older.open(call, new URL(baseOf(event)).pathname.replace(/\/$/, '')), ports.timeouts);
      case 'mcpSessionMessage':
        return written(
          gateway,
          await older.post(params.id ?? '', bodyOf(event, call, false), call),
          false,
          ports.timeouts,
        );
      default:
        return written(
          gateway,
          await gateway.post(bodyOf(event, call, true), call),
          acceptsEvents(event),
          ports.timeouts,
        );
    }
  };
  return withCors(own, ports, answer);
}

async function callOf(
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

/**
 * @param inPlace whether the answer to this HTTP request is the answer to the message.
 * @throws GatewayError 413, 415; RpcFault -32700, -32600, -32602.
 */
function bodyOf(event: HttpEvent, { snapshot }: McpCall, inPlace: boolean): Json {
  const type = headerOf(event, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json') {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Type is ${JSON.stringify(type.slice(0, 64))}; send application/json.`,
    );
  }
  const bytes = rawBody(event);
  const most = snapshot.configuration.server.max_body_bytes;
  if (bytes.length > most) {
    throw new GatewayError('payload_too_large', `The body has ${bytes.length} bytes; at most ${most} are taken.`);
  }
  try {
    return parseStrictBytes(bytes);
  } catch (fault) {
    const { code, message, cause } = asGatewayError(fault);
    if (code === 'payload_too_large') throw fault;
    const defect = jsonDefectOf(fault);
    if (defect !== undefined) throw unfit(bytes, message, defect, inPlace);
    const unreadable = (cause as Error | undefined)?.name === 'SyntaxError' || message.includes('UTF-8');
    throw new RpcFault(unreadable ? mcpCodes.parse : mcpCodes.invalidRequest, message, { status: 400 });
  }
}

/** The message is well-formed JSON: a request among such messages is answered under its own id, so that its model can mend it. */
function unfit(bytes: Uint8Array, message: string, defect: JsonDefect, inPlace: boolean): RpcFault {
  const loose: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const id = inPlace && isObject(loose) && typeof loose.method === 'string' ? idOf(loose) : null;
  const data = { reason: defect };
  return new RpcFault(mcpCodes.invalidParams, message, id === null ? { status: 400, data } : { data, id });
}

const acceptsEvents = (event: HttpEvent): boolean => /text\/event-stream|\*\/\*/.test(headerOf(event, 'accept') ?? '');

/** An endless answer is given to those who ask for one in so many words. */
function wantsEvents(event: HttpEvent): void {
  if (headerOf(event, 'accept')?.includes('text/event-stream')) return;
  throw new RpcFault(mcpCodes.invalidRequest, 'Not Acceptable: the stream needs Accept: text/event-stream.', {
    status: 406,
  });
}

/** JSON where the response is the first thing to come, else events. */
async function written(
  { resumable }: Pick<McpGateway, 'resumable'>,
  reply: McpReply,
  events: boolean,
  timeouts: Timeouts,
): Promise<HttpReply> {
  const { messages, status, headers, body, finished, resumableIn } = reply;
  const going = finished && { finished };
  if (!messages) {
    const json = body !== undefined && { 'content-type': 'application/json' };
    return {
      statusCode: status,
      headers: { ...headers, ...json },
      body: body === undefined ? '' : JSON.stringify(body),
      ...going,
    };
  }
  if (!events) {
    let last: JsonObject | undefined;
    for await (const message of messages) if (message.method === undefined) last = message;
    return { ...jsonReply(last, headers, messages.refusal), ...going };
  }
  const pending = messages.next();
  const first = await within(jsonWithinMs, pending, timeouts);
  const { refusal } = messages;
  if (first !== undefined && (refusal || !messages.streams) && (first.done || first.value.method === undefined)) {
    return { ...jsonReply(first.done ? undefined : first.value, headers, refusal), ...going };
  }
  let taken: typeof pending | undefined = pending;
  const all: AsyncIterator<JsonObject> & AsyncIterable<JsonObject> = {
    next: () => {
      const next = taken ?? messages.next();
      taken = undefined;
      return next;
    },
    return: () => messages.return(),
    [Symbol.asyncIterator]: () => all,
  };
  if (resumableIn !== undefined)
    return { ...numberedReply(resumable.begin(resumableIn, all), headers, timeouts), ...going };
  return { ...eventReply(all, headers, timeouts), ...going };
}

/** A request that was cancelled has no response. */
function jsonReply(
  response: JsonObject | undefined,
  headers: Readonly<Record<string, string>>,
  refusal: MessageQueue['refusal'],
): HttpReply {
  if (!response) return { statusCode: 202, headers: { ...headers }, body: '' };
  const wait = refusal?.fault instanceof GatewayError ? refusal.fault.retryAfterSeconds : undefined;
  return {
    statusCode: refusal?.status ?? 200,
    headers: {
      ...headers,
      'content-type': 'application/json',
      ...(wait !== undefined && { 'retry-after': String(wait) }),
    },
    body: JSON.stringify(response),
  };
}

function streamed(reply: McpReply, timeouts: Timeouts): HttpReply {
  if (reply.events) return numberedReply(reply.events, reply.headers, timeouts);
  return {
    ...eventReply(reply.messages!, reply.headers, timeouts),
    ...(reply.finished && { finished: reply.finished }),
  };
}

const wire = {
  encode: (message: JsonObject): string => {
    const endpoint = endpointOf(message);
    return endpoint === undefined ? encodeSse('message', JSON.stringify(message)) : encodeSse('endpoint', endpoint);
  },
  terminator: '',
};

const eventReply = (
  messages: AsyncIterable<JsonObject>,
  headers: Readonly<Record<string, string>>,
  timeouts: Timeouts,
): HttpReply => ({
  statusCode: 200,
  headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
  body: sse(messages, wire, timeouts),
});

/** Each event with its id; the first one is without a message, and names the time to wait. */
const numbered = {
  encode: ({ id, message }: JsonObject): string =>
    message === undefined
      ? `id: ${String(id)}\nretry: ${retryMs}\ndata: \n\n`
      : `id: ${String(id)}\n${encodeSse('message', JSON.stringify(message))}`,
  terminator: '',
};

const numberedReply = (
  events: AsyncIterable<StreamEvent>,
  headers: Readonly<Record<string, string>>,
  timeouts: Timeouts,
): HttpReply => ({
  statusCode: 200,
  headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8' },
  body: sse(events as unknown as AsyncIterable<JsonObject>, numbered, timeouts),
});

const within = <T>(ms: number, work: Promise<T>, timeouts: Timeouts): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const cancel = timeouts.after(ms, () => resolve(undefined));
    work.then(resolve, reject).finally(cancel);
  });

/** Before there is a session to answer in: an HTTP status, and JSON-RPC all the same. */
function refusal(event: HttpEvent, fault: unknown): HttpReply {
  if (!(fault instanceof GatewayError) && !(fault instanceof RpcFault)) throw fault;
  const { error } = errorOf(fault);
  const shape = { body: () => responseOf(null, { error }) };
  if (fault instanceof RpcFault) {
    const body = JSON.stringify(responseOf(fault.id ?? null, { error }));
    const statusCode = fault.status === 200 && fault.id === undefined ? 400 : fault.status;
    return { statusCode, headers: { 'content-type': 'application/json' }, body };
  }
  const reply = errorReply(fault, shape);
  if (reply.statusCode === 401) {
    const metadata = `resource_metadata="${baseOf(event)}/.well-known/oauth-protected-resource"`;
    reply.headers['www-authenticate'] = challengeOf(fault, metadata);
  }
  if (reply.statusCode === 405) reply.headers.allow = takesPostAlone(event) ? 'POST' : 'POST, DELETE';
  return reply;
}

/** From that revision on the endpoint takes POST alone. */
const takesPostAlone = (event: HttpEvent): boolean =>
  (headerOf(event, 'mcp-protocol-version')?.trim() ?? '') >= '2026-07-28';

/** RFC 9728 [identity.oidc-mcp]. Without an issuer there is no authorization server to name: the operator gives out keys. */
const resourceMetadata = (event: HttpEvent, { identity }: Configuration): JsonObject => ({
  resource: identity.mcp_resource ?? `${baseOf(event)}/mcp`,
  resource_name: 'Agent Governance Gateway',
  ...(identity.oidc.length > 0 && { authorization_servers: [...new Set(identity.oidc.map(({ issuer }) => issuer))] }),
  bearer_methods_supported: ['header'],
});

/** Where the caller found us: behind API Gateway by its domain and stage. */
function baseOf(event: HttpEvent): string {
  const { domainName, stage } = event.requestContext ?? {};
  if (!domainName) return `http://${headerOf(event, 'host') ?? 'localhost'}`;
  return domainName.endsWith('.amazonaws.com') && stage ? `https://${domainName}/${stage}` : `https://${domainName}`;
}
