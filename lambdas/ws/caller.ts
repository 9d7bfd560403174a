/** A WebSocket's caller: key, role and tenant as over HTTP, checked again with every message. */
import { socketLimits } from '#core/chat/socket-message.ts';
import type { SocketCaller } from '#core/chat/socket-ports.ts';
import { authorize } from '#core/configuration/identity/authorize.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import { actingIn } from '#core/configuration/identity/grants.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { RefusedToken } from '#core/configuration/identity/refused-token.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { routes } from '#features/routes.ts';
import { headerOf, headerValues } from '../middleware/body.ts';
import { type AdmissionPorts, identify, snapshotFor, wouldIdentify } from '../middleware/identify.ts';

/** Headers from the handshake. Its query is never used, because URLs end up in logs and histories. */
export type HandshakeHeaders = Readonly<Record<string, readonly string[] | undefined>>;

interface CallerPorts extends AdmissionPorts {
  readonly snapshots: Pick<Snapshots, 'current'>;
}

/** Calls over the socket need the same rights as the chat completions route. */
const chatRoute = routes.find(({ operation }) => operation === 'chatCompletions')!;

const asEvent = (headers: HandshakeHeaders) => ({ multiValueHeaders: headers }) as unknown as HttpEvent;

export const carriesKey = (headers: HandshakeHeaders): boolean =>
  headerValues(asEvent(headers), 'x-api-key').length + headerValues(asEvent(headers), 'authorization').length > 0;

/** Returns the handshake headers, with the first message's key replacing any key of their own. */
export const withKey = (headers: HandshakeHeaders, apiKey: string): HandshakeHeaders => ({
  ...Object.fromEntries(
    Object.entries(headers).filter(([name]) => !['x-api-key', 'authorization'].includes(name.toLowerCase())),
  ),
  'x-api-key': [apiKey],
});

/**
 * Returns the caller, and the snapshot with the caller's rows. @throws GatewayError as over HTTP:
 * `authentication_error`, `forbidden`.
 */
export async function callerOf(
  headers: HandshakeHeaders,
  address: string,
  ports: CallerPorts,
): Promise<{ readonly principal: Principal; readonly snapshot: Snapshot }> {
  const event = { ...asEvent(headers), requestContext: { identity: { sourceIp: address } } } as HttpEvent;
  const snapshot = await snapshotFor(event, ports);
  return { principal: await identify(event, chatRoute, snapshot, ports), snapshot };
}

/** Checks whether the handshake's own headers authenticate the caller. */
export async function isKnown(headers: HandshakeHeaders, address: string, ports: CallerPorts): Promise<boolean> {
  const event = { ...asEvent(headers), requestContext: { identity: { sourceIp: address } } } as HttpEvent;
  try {
    await wouldIdentify(event, chatRoute, await snapshotFor(event, ports), ports);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a handshake header.
 * @throws GatewayError `invalid_request` if it is sent twice with different values.
 */
export const handshakeHeader = (headers: HandshakeHeaders, name: string): string | undefined =>
  headerOf(asEvent(headers), name);

/** Returns the part of the caller that is stored with a connection. */
export const socketCaller = ({ key_id, tenant, federated }: Principal): SocketCaller => ({
  key_id,
  tenant,
  ...(federated && { federated }),
});

/**
 * Returns the caller as defined by the current configuration.
 * @throws GatewayError `authentication_error` for a revoked key or an expired token, `forbidden` for a caller that has
 * lost its role or tenant.
 */
export async function reauthorize(caller: SocketCaller, snapshot: Snapshot, now: number): Promise<Principal> {
  const known = await recall(snapshot, caller.key_id, caller.federated);
  if (!known)
    throw new GatewayError(
      'authentication_error',
      'The key was revoked; send {"type":"auth","api_key":…} with another one.',
    );
  if (caller.federated && Date.parse(caller.federated.expires_at) <= now)
    throw new RefusedToken('the token has expired; send {"type":"auth","api_key":…} with another one');
  authorize(chatRoute, known);
  if (known.tenant === caller.tenant) return known;
  if (known.tenants.includes('*') || known.tenants.includes(caller.tenant)) {
    const acting = actingIn(known, caller.tenant);
    authorize(chatRoute, acting);
    return acting;
  }
  throw new GatewayError('forbidden', `The key may not act in the tenant ${caller.tenant} any more.`);
}

/** Returns the maximum size of a message in bytes: the HTTP body limit, or the host's. */
export function maxBytes(
  { configuration }: Snapshot,
  tenant: string | undefined,
  host = Number.POSITIVE_INFINITY,
): number {
  const own = configuration.tenants.find(({ id }) => id === tenant)?.max_body_bytes;
  return Math.min(configuration.server.max_body_bytes, own ?? host, host);
}

/**
 * Limits messages before authentication: only a few short messages are read.
 * @param messages number of messages so far, including this one.
 * @throws GatewayError `payload_too_large`, `rate_limit_error`.
 */
export function assertBeforeKey(bytes: number, messages: number): void {
  const { bytesBeforeKey, messagesBeforeKey } = socketLimits;
  if (bytes > bytesBeforeKey)
    throw new GatewayError(
      'payload_too_large',
      `The message has ${bytes} bytes; before a key is sent, at most ${bytesBeforeKey} are accepted. Send {"type":"auth","api_key":…} first.`,
    );
  if (messages > messagesBeforeKey)
    throw new GatewayError(
      'rate_limit_error',
      `${messages} messages came without a key; at most ${messagesBeforeKey} are read. Send {"type":"auth","api_key":…} first.`,
      { retryAfterSeconds: 1 },
    );
}

/** Checks a message's size. @throws GatewayError `payload_too_large`. */
export function assertTakes(most: number, bytes: number): void {
  if (bytes > most)
    throw new GatewayError('payload_too_large', `The message has ${bytes} bytes; at most ${most} are accepted.`);
}
