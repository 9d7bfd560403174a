/**
 * How much of a request's body a host reads before the handler sees the request [auth.before-body]: nothing of a caller whom
 * the handler will refuse.
 */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { routes } from '#core/contracts/routes.ts';
import { maxBytesOf } from './body.ts';
import { type AdmissionPorts, wouldIdentify } from './identify.ts';

/** @param event without its body. */
export async function bodyLimit(
  event: HttpEvent,
  snapshot: Snapshot,
  ports: Pick<AdmissionPorts, 'tokens'>,
): Promise<number> {
  const route = routes.find(({ path, method }) => path === event.resource && method === event.httpMethod);
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
