/**
 * Filters a shared server's unsolicited messages (stdio, HTTP+SSE) for one session [mcp.sessions]: changed lists, and
 * updates of resources to which this session subscribed. Other unsolicited messages have no owner.
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

/** Maximum number of subscribed URIs per session. */
const maxAddresses = 256;

type SharedLink = Pick<UpstreamLink, 'shared' | 'subscriptions'>;

/** Returns the notification reduced to the parts that any session may receive, or undefined if there are none. */
export function sharedNotification({ method, params }: JsonObject): JsonObject | undefined {
  if (listChanges.includes(method)) return notificationOf(method as string);
  const uri = method === updated && isObject(params) ? params.uri : undefined;
  return typeof uri === 'string' ? notificationOf(updated, { uri }) : undefined;
}

/** Checks whether a server's message is meant for this session. */
export function isForSession(link: SharedLink, owner: string, { method, params }: JsonObject): boolean {
  return !link.shared || method !== updated || isSubscribed(link, owner, isObject(params) ? params.uri : undefined);
}

/**
 * Handles `resources/subscribe` and `resources/unsubscribe` at a shared server. The server sees one client, so it
 * receives an unsubscribe only when the last subscribed session unsubscribes.
 * @throws RpcFault -32602 if there are too many subscriptions.
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
  // Recorded first, so that another session's unsubscribe does not reach the server after this request.
  const isNew = !own.has(address);
  own.add(address);
  try {
    const outcome = await forward();
    if ('error' in outcome && isNew) own.delete(address);
    // The connection may have been reopened in the meantime.
    else (await current()).subscriptions?.of(subscriber).add(address);
    return outcome;
  } catch (fault) {
    if (isNew) own.delete(address);
    throw fault;
  }
}

/** Removes the subscriptions of a session that has ended. */
export const endSubscriptions = (link: SharedLink, owner: string): void => link.subscriptions?.delete(owner);

/** Checks whether the session has this subscription at the server. */
export const isSubscribed = (link: SharedLink, owner: string, uri: unknown): boolean =>
  typeof uri === 'string' && link.subscriptions?.get(owner)?.has(sha256(uri)) === true;
