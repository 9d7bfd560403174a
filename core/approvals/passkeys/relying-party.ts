/** The relying party for passkeys, which browsers bind to a host. */
import { GatewayError } from '#core/kernel/errors.ts';

export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * Returns the relying party. Browsers do not accept IP addresses, so on the local machine it is `localhost` at the same
 * port.
 * @throws GatewayError `invalid_request` if the console's URL has an IP address instead of a name.
 */
export function relyingParty({
  adminUrl,
  consoleUrl,
}: {
  adminUrl: string;
  consoleUrl: string | undefined;
}): RelyingParty {
  const url = new URL(consoleUrl ?? adminUrl);
  if (/^127\.|^\[::1\]$/.test(url.hostname)) url.hostname = 'localhost';
  if (/^[\d.]+$|^\[/.test(url.hostname))
    throw new GatewayError(
      'invalid_request',
      `Passkeys need a host name; the gateway is at ${url.host}. Open it by name, over HTTPS.`,
    );
  return { id: url.hostname, origin: url.origin };
}
