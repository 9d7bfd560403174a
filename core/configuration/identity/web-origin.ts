/** Checks which web pages may call the gateway: those in `server.cors.allowed_origins`. */
import { GatewayError } from '#core/kernel/errors.ts';
import { isLoopback } from './federation/urls.ts';

/** Reports whether an origin is allowed; `*` allows every origin. */
export const isListed = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes('*') || allowed.includes(origin);

/**
 * Reports whether the client and the listener are both on this machine. Local MCP clients, such as the inspector, send
 * a local origin and need no entry in the list. A page from another site whose name was rebound to our address still
 * sends its own origin and host.
 */
export const areBothHere = (origins: readonly string[], host: string | undefined): boolean =>
  origins.length === 1 && isLoopback(origins[0]!) && host !== undefined && isLoopback(`http://${host}`);

/**
 * Checks the origin of a request. Browsers do not apply CORS to WebSockets or to names rebound to our address, but they
 * do send the page's origin. Keys are sent explicitly, so pages cannot use a visitor's cookie; unlisted origins are
 * still refused, as with CORS. Programs send no Origin.
 * @param host as sent by the caller; a page from our own origin is allowed.
 * @throws GatewayError `forbidden`.
 */
export function assertOrigin(origins: readonly string[], host: string | undefined, allowed: readonly string[]): void {
  const [origin, second] = origins;
  if (origin === undefined) return;
  const own = host !== undefined && hostOf(origin) === host.toLowerCase();
  if (second === undefined && (own || isListed(origin, allowed))) return;
  const found = JSON.stringify(origin.slice(0, 200));
  throw new GatewayError('forbidden', `Origin is ${found}; only those in server.cors.allowed_origins are allowed.`);
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host.toLowerCase() : undefined;
