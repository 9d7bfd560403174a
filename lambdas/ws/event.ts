/**
 * Handles WebSocket API events: stores connections in a table, dispatches chat calls to `ws-worker` and handles the
 * rest itself. An integration times out after 29 s, and this limit cannot be raised.
 */
import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import {
  closesWith,
  readMessage,
  refusalOf,
  type SocketCall,
  serverMessages,
  socketLimits,
} from '#core/chat/socket-message.ts';
import type { DispatchCall, SocketConnection, SocketConnections, SocketPosts } from '#core/chat/socket-ports.ts';
import { assertOrigin } from '#core/configuration/identity/web-origin.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { type Clock, type Ids, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import type { AdmissionPorts } from '../middleware/identify.ts';
import {
  assertBeforeKey,
  assertTakes,
  callerOf,
  carriesKey,
  type HandshakeHeaders,
  handshakeHeader,
  maxBytes,
  reauthorize,
  socketCaller,
  withKey,
} from './caller.ts';

/** WebSocket API event. Only the handshake event has headers. */
export type SocketEvent = APIGatewayProxyWebsocketEventV2 & {
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  readonly multiValueHeaders?: HandshakeHeaders | null;
  readonly requestContext: { readonly identity?: { readonly sourceIp?: string } };
};

interface SocketEndpointPorts extends AdmissionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly connections: SocketConnections;
  readonly posts: SocketPosts;
  readonly handOver: DispatchCall;
}

export interface SocketReply {
  readonly statusCode: number;
  readonly body?: string;
}

/** API Gateway's maximum message size. In Base64, a message fits in an asynchronous invocation with room to spare. */
const maxMessageBytes = 128 * 1024;
/** Row retention: a little longer than API Gateway's maximum connection time of two hours. */
const keptMs = (2 * 60 + 10) * 60_000;

export const createHandler =
  (ports: SocketEndpointPorts) =>
  async (event: SocketEvent): Promise<SocketReply> => {
    const { routeKey, connectionId } = event.requestContext;
    if (routeKey === '$connect') return connect(ports, event);
    if (routeKey === '$disconnect') {
      await ports.connections.leave(connectionId);
      return ok;
    }
    await take(ports, event);
    return ok;
  };

const ok: SocketReply = { statusCode: 200 };

/**
 * Accepts a connection. Messages cannot be sent before the connection is open, so a bad key is refused in the
 * handshake.
 */
async function connect(ports: SocketEndpointPorts, event: SocketEvent): Promise<SocketReply> {
  try {
    await ports.connections.open(await openConnection(ports, event));
    return ok;
  } catch (thrown) {
    const fault = asGatewayError(thrown);
    logServerFault(ports, event, fault);
    return { statusCode: fault.kind.status, body: JSON.stringify(fault.toBody()) };
  }
}

async function openConnection(ports: SocketEndpointPorts, event: SocketEvent): Promise<SocketConnection> {
  const { connectionId, domainName } = event.requestContext;
  const snapshot = await ports.snapshots.current();
  const headers = headersOf(event);
  const { allowed_origins } = snapshot.configuration.server.cors;
  assertOrigin(valuesOf(headers, 'origin'), domainName, allowed_origins);
  const caller = carriesKey(headers) ? (await callerOf(headers, addressOf(event), ports)).principal : undefined;
  const session_id = handshakeHeader(headers, 'x-session-id');
  const asked_tenant = handshakeHeader(headers, 'x-tenant-id');
  const now = ports.clock.now();
  return {
    id: connectionId,
    opened_at: isoTime(now),
    expires_at: isoTime(now + keptMs),
    ...(caller && socketCaller(caller)),
    ...(session_id !== undefined && { session_id }),
    ...(asked_tenant !== undefined && { asked_tenant }),
    calls: {},
  };
}

function headersOf({ headers, multiValueHeaders }: SocketEvent): HandshakeHeaders {
  if (multiValueHeaders && Object.keys(multiValueHeaders).length > 0) return multiValueHeaders;
  const single = Object.entries(headers ?? {});
  return Object.fromEntries(single.map(([name, value]) => [name, value === undefined ? [] : [value]]));
}

const addressOf = ({ requestContext }: SocketEvent): string => requestContext.identity?.sourceIp ?? '';

const valuesOf = (headers: HandshakeHeaders, wanted: string): readonly string[] =>
  Object.entries(headers).flatMap(([name, values]) => (name.toLowerCase() === wanted ? (values ?? []) : []));

/**
 * Handles a message. A fault that affects the connection rather than one call ends the connection after an error
 * message, because the function cannot send a close code.
 */
async function take(ports: SocketEndpointPorts, event: SocketEvent): Promise<void> {
  const { connectionId } = event.requestContext;
  try {
    await understand(ports, event);
  } catch (thrown) {
    const fault = asGatewayError(thrown);
    logServerFault(ports, event, fault);
    await ports.posts.post(connectionId, serverMessages.error(fault));
    if (closesWith[fault.kind.status]) await ports.posts.close(connectionId);
  }
}

async function understand(ports: SocketEndpointPorts, event: SocketEvent): Promise<void> {
  const { connectionId } = event.requestContext;
  const connection = await ports.connections.get(connectionId);
  const snapshot = await ports.snapshots.current({ of: connection ?? {} });
  const text = event.body ?? '';
  const bytes = Buffer.byteLength(text);
  if (connection?.key_id === undefined) assertBeforeKey(bytes, 1); // API Gateway limits their number
  assertTakes(maxBytes(snapshot, connection?.tenant, maxMessageBytes), bytes);
  assertInTime(ports, connection);
  if (event.isBase64Encoded) throw invalidRequest('The message is binary; send JSON as text.');
  const message = readMessage(text, () => ports.ids.uuid());
  const say = (reply: string) => ports.posts.post(connectionId, reply);

  if (message.type === 'faulty') return void (await say(serverMessages.error(message.fault, { id: message.sentId })));
  if (message.type === 'ping') return void (await say(serverMessages.pong()));
  if (message.type === 'auth') {
    const headers = withKey(handshakeOf(connection), message.apiKey);
    const { principal, snapshot: own } = await callerOf(headers, addressOf(event), ports);
    const known = socketCaller(principal);
    await ports.connections.authenticate(connectionId, known);
    return void (await say(serverMessages.ready(maxBytes(own, known.tenant, maxMessageBytes))));
  }
  const caller = await authenticated(connection, snapshot, ports.clock.now());
  if (message.type === 'cancel') return ports.connections.cancel(connectionId, message.id);
  const refusal = await handOver(ports, event, { ...connection, ...caller }, message, text);
  if (refusal) await say(serverMessages.error(refusal, { id: message.sentId }));
}

/**
 * Checks the connection.
 * @throws GatewayError `authentication_error` for an unknown connection, or for one that did not send a key in time.
 */
function assertInTime(
  { clock }: SocketEndpointPorts,
  connection: SocketConnection | undefined,
): asserts connection is SocketConnection {
  if (!connection || connection.gone)
    throw new GatewayError('authentication_error', 'The connection is not known or has expired; connect again.');
  const late = clock.now() - Date.parse(connection.opened_at) > socketLimits.authWithinMs;
  if (connection.key_id === undefined && late)
    throw new GatewayError(
      'authentication_error',
      'No key came within 10 seconds. Connect again, and send {"type":"auth","api_key":…} first.',
    );
}

const handshakeOf = ({ asked_tenant }: SocketConnection): HandshakeHeaders =>
  asked_tenant === undefined ? {} : { 'x-tenant-id': [asked_tenant] };

async function authenticated({ key_id, tenant, federated }: SocketConnection, snapshot: Snapshot, now: number) {
  if (key_id === undefined || tenant === undefined)
    throw new GatewayError('authentication_error', 'Send {"type":"auth","api_key":…} first.');
  const caller = { key_id, tenant, ...(federated && { federated }) };
  await reauthorize(caller, snapshot, now);
  return caller;
}

type AuthenticatedConnection = SocketConnection & { readonly key_id: string; readonly tenant: string };

/** Dispatches the call. @returns the reason if the call was not started. */
async function handOver(
  ports: SocketEndpointPorts,
  { requestContext }: SocketEvent,
  { id, key_id, tenant, federated, session_id }: AuthenticatedConnection,
  call: SocketCall,
  text: string,
): Promise<GatewayError | undefined> {
  const begun = await ports.connections.begin(id, call.id, requestContext.requestId, socketLimits.calls);
  if (begun === 'gone') return undefined;
  if (begun !== 'begun') return refusalOf(begun, call.id);
  try {
    await ports.handOver({
      connection_id: id,
      call_id: call.id,
      key_id,
      tenant,
      ...(federated && { federated }),
      ...(session_id !== undefined && { session_id }),
      request_id: requestContext.requestId,
      message: Buffer.from(text).toString('base64'),
    });
    return undefined;
  } catch (thrown) {
    await ports.connections.over(id, call.id);
    return asGatewayError(thrown);
  }
}

function logServerFault(
  { telemetry }: SocketEndpointPorts,
  { requestContext }: SocketEvent,
  fault: GatewayError,
): void {
  if (fault.kind.status < 500) return;
  const cause = fault.cause instanceof Error ? { cause: fault.cause.message, stack: fault.cause.stack } : {};
  telemetry.log('error', fault.message, { request_id: requestContext.requestId, type: fault.code, ...cause });
}
