/** Ports for token verification. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Principal } from '../principal.ts';

export interface IssuerDocuments {
  /**
   * Fetches a JSON document of an issuer, without redirects and within bounds of size and time.
   * @throws Error if it cannot be fetched.
   */
  json(url: string): Promise<unknown>;
}

export interface Tokens {
  /**
   * Returns the caller of a bearer token.
   * @param resource if given, an audience that the token must have.
   * @throws GatewayError `authentication_error`, `forbidden`, `service_unavailable`.
   */
  callerOf(token: string, snapshot: Pick<Snapshot, 'configuration'>, resource?: string): Promise<Principal>;
}
