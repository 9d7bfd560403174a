/**
 * How much of a request's body a host reads before the handler sees the request [auth.before-body]: nothing of a caller whom
 * the handler will refuse.
 */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { routes } from '#core/contracts/routes.ts';
import { maxBytesOf } from './body.ts';
import { type AdmissionPorts, wouldIdentify } from './identify.ts';

const placeOf = (method: string, path: string): string => `${method} ${path}`;

/** Asked at every request. */
const byPlace: ReadonlyMap<string, Route> = new Map(routes.map((route) => [placeOf(route.method, route.path), route]));

/** @param event without its body. */
export async function bodyLimit(
  event: HttpEvent,
  snapshot: Snapshot,
  ports: Pick<AdmissionPorts, 'tokens'>,
): Promise<number> {
  const route = byPlace.get(placeOf(event.httpMethod, event.resource));
  if (!route || route.access === 'open') return 0;
  if (route.access === 'signed') return maxBytesOf(route.operation); // the signature is over the bytes
  try {
    await wouldIdentify(event, route, snapshot, ports);
  } catch {
    return 0; // the createHandler says why
  }
  if (route.surface === 'admin') return maxBytesOf(route.operation);
  return snapshot.configuration.server.max_body_bytes;
}
