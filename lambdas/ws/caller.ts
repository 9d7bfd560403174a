/** The caller of a WebSocket: the same key, role and tenant as over HTTP, checked again at every message. */
import { socketLimits } from '#core/chat/socket-message.ts';
import type { SocketCaller } from '#core/chat/socket-ports.ts';
import { authorize } from '#core/configuration/identity/authorize.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import { actingIn } from '#core/configuration/identity/grants.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { RefusedToken } from '#core/configuration/identity/refused-token.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { routes } from '#core/contracts/routes.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { headerOf, headerValues } from '../middleware/body.ts';
import { type AdmissionPorts, identify, wouldIdentify } from '../middleware/identify.ts';

/** Headers of the handshake. Its query is never looked at: addresses end up in logs and histories. */
export type HandshakeHeaders = Readonly<Record<string, readonly string[] | undefined>>;

/** Calls over the socket need what the HTTP route of a chat completion needs. */
const chatRoute = routes.find(({ operation }) => operation === 'chatCompletions')!;

const asEvent = (headers: HandshakeHeaders) => ({ multiValueHeaders: headers }) as unknown as HttpEvent;

export const carriesKey = (headers: HandshakeHeaders): boolean =>
  headerValues(asEvent(headers), 'x-api-key').length + headerValues(asEvent(headers), 'authorization').length > 0;

/** The handshake with the key of a first message in place of its own. */
export const withKey = (headers: HandshakeHeaders, apiKey: string): HandshakeHeaders => ({
  ...Object.fromEntries(
    Object.entries(headers).filter(([name]) => !['x-api-key', 'authorization'].includes(name.toLowerCase())),
  ),
  'x-api-key': [apiKey],
});

/** @throws GatewayError as over HTTP: `authentication_error`, `forbidden`. */
export const callerOf = async (
  headers: HandshakeHeaders,
  address: string,
  snapshot: Snapshot,
  ports: AdmissionPorts,
): Promise<Principal> => {
  const requestContext = { identity: { sourceIp: address } };
  return identify({ ...asEvent(headers), requestContext } as HttpEvent, chatRoute, snapshot, ports);
};

/** Whether the handshake's own headers let the caller in. */
export async function isKnown(
  headers: HandshakeHeaders,
  snapshot: Snapshot,
  ports: Pick<AdmissionPorts, 'tokens'>,
): Promise<boolean> {
  try {
    await wouldIdentify(asEvent(headers), chatRoute, snapshot, ports);
    return true;
  } catch {
    return false;
  }
}

/** @throws GatewayError `invalid_request` when it is sent twice with different values. */
export const handshakeHeader = (headers: HandshakeHeaders, name: string): string | undefined =>
  headerOf(asEvent(headers), name);

/** What a connection keeps of its caller. */
export const socketCaller = ({ key_id, tenant, federated }: Principal): SocketCaller => ({
  key_id,
  tenant,
  ...(federated && { federated }),
});

/**
 * The caller as the configuration knows it now.
 * @throws GatewayError `authentication_error` for a key that was revoked or a token that has ended, `forbidden` for one that lost its
 * role or tenant.
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

/** The largest message that is taken, in bytes: what HTTP takes as a body, or what the host can carry. */
export function maxBytes(
  { configuration }: Snapshot,
  tenant: string | undefined,
  host = Number.POSITIVE_INFINITY,
): number {
  const own = configuration.tenants.find(({ id }) => id === tenant)?.max_body_bytes;
  return Math.min(configuration.server.max_body_bytes, own ?? host, host);
}

/**
 * Before there is a key only a short first message is read, and a few of them.
 * @param messages how many have come, this one included.
 * @throws GatewayError `payload_too_large`, `rate_limit_error`.
 */
export function assertBeforeKey(bytes: number, messages: number): void {
  const { bytesBeforeKey, messagesBeforeKey } = socketLimits;
  if (bytes > bytesBeforeKey)
    throw new GatewayError(
      'payload_too_large',
      `The message has ${bytes} bytes; before there is a key at most ${bytesBeforeKey} are taken. Send {"type":"auth","api_key":…} first.`,
    );
  if (messages > messagesBeforeKey)
    throw new GatewayError(
      'rate_limit_error',
      `${messages} messages came without a key; at most ${messagesBeforeKey} are read. Send {"type":"auth","api_key":…} first.`,
      { retryAfterSeconds: 1 },
    );
}

/** @throws GatewayError `payload_too_large`. */
export function assertTakes(most: number, bytes: number): void {
  if (bytes > most)
    throw new GatewayError('payload_too_large', `The message has ${bytes} bytes; at most ${most} are taken.`);
}
