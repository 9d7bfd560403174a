/** Which web pages may call: those of `server.cors.allowed_origins`. */
import { GatewayError } from '#core/kernel/errors.ts';
import { isLoopback } from './federation/urls.ts';

/** `*` lists every origin. */
export const isListed = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes('*') || allowed.includes(origin);

/**
 * Clients of MCP on this machine, such as its inspector, say an origin of this machine. Where the listener is there too, they need no
 * entry in the list. A page of another site that was rebound to our address still says its own origin and host.
 */
export const areBothHere = (origins: readonly string[], host: string | undefined): boolean =>
  origins.length === 1 && isLoopback(origins[0]!) && host !== undefined && isLoopback(`http://${host}`);

/**
 * Browsers ask no permission before a WebSocket (there is no CORS for it), nor before a name that was rebound to our address,
 * but say where the page comes from. Keys are sent explicitly, so no page can use a visitor's cookie; still a page of an
 * origin that is not listed is refused: as with CORS, off means off. Programs send no Origin.
 * @param host as the caller named it; a page of our own origin is allowed.
 * @throws GatewayError `forbidden`.
 */
export function assertOrigin(origins: readonly string[], host: string | undefined, allowed: readonly string[]): void {
  const [origin, second] = origins;
  if (origin === undefined) return;
  const own = host !== undefined && hostOf(origin) === host.toLowerCase();
  if (second === undefined && (own || isListed(origin, allowed))) return;
  const found = JSON.stringify(origin.slice(0, 200));
  throw new GatewayError('forbidden', `Origin is ${found}; allowed are those of server.cors.allowed_origins.`);
}

const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host.toLowerCase() : undefined;
