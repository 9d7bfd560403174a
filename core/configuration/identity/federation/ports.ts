/** What verifying tokens needs from outside. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Principal } from '../principal.ts';

export interface IssuerDocuments {
  /**
   * A JSON document of an issuer. Redirects are not followed, size and time are bounded.
   * @throws Error when it cannot be had.
   */
  json(url: string): Promise<unknown>;
}

export interface Tokens {
  /**
   * The caller of a bearer token.
   * @param resource when given, the token must have it as an audience.
   * @throws GatewayError `authentication_error`, `forbidden`, `service_unavailable`.
   */
  callerOf(token: string, snapshot: Pick<Snapshot, 'configuration'>, resource?: string): Promise<Principal>;
}
