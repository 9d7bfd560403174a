/** Checks that origins are written as browsers send them, because any other form would never match. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { Problem } from '#core/contracts/problems.ts';

const allowed =
  '"*", or an origin as browsers send it: scheme and host in lower case, and a port only if it is not the default';

export const checkOrigins = ({ server }: ConfigurationFile): Problem[] =>
  server.cors.allowed_origins.flatMap((origin, i): Problem[] =>
    origin === '*' || isOrigin(origin)
      ? []
      : [{ path: ['server', 'cors', 'allowed_origins', i], found: JSON.stringify(origin), allowed }],
  );

/**
 * Checks an origin. Schemes used by other programs (extensions, editors) have no origin in the URL standard, so only
 * their form is checked.
 */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*,]+$/.test(text) || !URL.canParse(text)) return false;
  const { origin } = new URL(text);
  return origin === 'null' || origin === text;
}
