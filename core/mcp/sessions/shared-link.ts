/**
 * What a session hears of a server that several callers share (stdio, HTTP+SSE) [mcp.shared-servers]: that a list changed, and that a
 * resource was updated which this session subscribed to. Everything else such a server says without a request has no owner.
 */
import { sha256 } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { UpstreamLink } from '../ports.ts';
import { invalidParams, notificationOf, type RpcOutcome } from '../protocol/messages.ts';
import type { Subscriber } from './subscriptions.ts';

const listChanges: readonly unknown[] = ['tools', 'prompts', 'resources'].map(
  (list) => `notifications/${list}/list_changed`,
);
const updated = 'notifications/resources/updated';

/** Addresses that one session may subscribe to. */
const maxAddresses = 256;

type SharedLink = Pick<UpstreamLink, 'shared' | 'subscriptions'>;

/** Returns the notification as any session may hear it, without members that say more; undefined if no session may. */
export function sharedNotification({ method, params }: JsonObject): JsonObject | undefined {
  if (listChanges.includes(method)) return notificationOf(method as string);
  const uri = method === updated && isObject(params) ? params.uri : undefined;
  return typeof uri === 'string' ? notificationOf(updated, { uri }) : undefined;
}

/** Checks whether the message of a server is for this session. */
export function isForSession(link: SharedLink, owner: string, { method, params }: JsonObject): boolean {
  return !link.shared || method !== updated || isSubscribed(link, owner, isObject(params) ? params.uri : undefined);
}

/**
 * `resources/subscribe` and `resources/unsubscribe` at a server that several callers share: it knows them as one client, so the
 * last session that unsubscribes is the one that it hears of.
 * @throws RpcFault -32602 for one subscription too many.
 */
export async function changeSubscription(
  { link: current, subscriber }: { readonly subscriber: Subscriber; readonly link: () => Promise<SharedLink> },
  method: string,
  { uri }: JsonObject,
  forward: () => Promise<RpcOutcome>,
): Promise<RpcOutcome> {
  const { subscriptions } = await current();
  if (!subscriptions || typeof uri !== 'string') return forward();
  const address = sha256(uri);
  const own = subscriptions.of(subscriber);
  const others = () => [...subscriptions.values()].some((addresses) => addresses !== own && addresses.has(address));
  if (method === 'resources/unsubscribe') {
    const wasSubscribed = own.delete(address);
    return wasSubscribed && !others() ? forward() : { result: {} };
  }
  if (!own.has(address) && own.size >= maxAddresses)
    throw invalidParams(`The session has ${maxAddresses} subscriptions, the most that are allowed; unsubscribe first.`);
  // Noted first, so that another session's unsubscribe does not reach the server after this request.
  const isNew = !own.has(address);
  own.add(address);
  try {
    const outcome = await forward();
    if ('error' in outcome && isNew) own.delete(address);
    // The connection may have begun again meanwhile.
    else (await current()).subscriptions?.of(subscriber).add(address);
    return outcome;
  } catch (fault) {
    if (isNew) own.delete(address);
    throw fault;
  }
}

/** Forgets the subscriptions of a session that ended. */
export const endSubscriptions = (link: SharedLink, owner: string): void => link.subscriptions?.delete(owner);

/** Checks whether the session's subscription is at this server. */
export const isSubscribed = (link: SharedLink, owner: string, uri: unknown): boolean =>
  typeof uri === 'string' && link.subscriptions?.get(owner)?.has(sha256(uri)) === true;
