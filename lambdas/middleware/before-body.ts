/**
 * Identifies a request's caller before its body is read, and limits the body size. If the handler will refuse the
 * caller, the body is not read [auth.before-body].
 */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { routes } from '#features/routes.ts';
import { maxBytesOf } from './body.ts';
import { type AdmissionPorts, snapshotFor, wouldIdentify } from './identify.ts';

export interface BodyAdmission {
  /** Maximum body size. For an identified caller, it also respects the configured limit. */
  readonly bodyBytes: number;
  /** Undefined for routes without a credential, and for a caller that the handler will refuse. */
  readonly caller?: Pick<Principal, 'key_id' | 'tenant' | 'kind'>;
}

const methodAndPath = (method: string, path: string): string => `${method} ${path}`;

/** Routes by location, for the lookup on every request. */
const byPlace: ReadonlyMap<string, Route> = new Map(
  routes.map((route) => [methodAndPath(route.method, route.path), route]),
);

/**
 * Returns the caller and the body limit. Open routes such as `/health` need no configuration, so they respond while the
 * store is down.
 * @param event without its body.
 */
export async function beforeBody(
  event: HttpEvent,
  ports: AdmissionPorts & { readonly snapshots: Pick<Snapshots, 'current'> },
): Promise<BodyAdmission> {
  const route = byPlace.get(methodAndPath(event.httpMethod === 'HEAD' ? 'GET' : event.httpMethod, event.resource));
  if (!route || route.access === 'open') return { bodyBytes: 0 };
  if (route.access === 'signed') return { bodyBytes: maxBytesOf(route) }; // the signature is over the bytes
  const { configuration } = await ports.snapshots.current({ evenStale: true });
  let caller: Principal;
  try {
    caller = await wouldIdentify(event, route, await snapshotFor(event, ports, { evenStale: true }), ports);
  } catch {
    return { bodyBytes: 0 }; // the handler reports the reason
  }
  const { max_body_bytes } = configuration.server;
  const ofRoute = route.surface === 'admin' ? maxBytesOf(route) : max_body_bytes;
  return { bodyBytes: Math.min(ofRoute, max_body_bytes), caller };
}
