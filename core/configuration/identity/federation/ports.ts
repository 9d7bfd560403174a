/** Ports for token verification. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Principal } from '../principal.ts';

export interface IssuerDocuments {
  /**
   * Fetches a JSON document from an issuer without following redirects, and with limits on size and time.
   * @throws Error if it cannot be fetched.
   */
  json(url: string): Promise<unknown>;
}

export interface Tokens {
  /**
   * Returns the caller that a bearer token identifies.
   * @param resource if given, an audience that the token must have.
   * @throws GatewayError `authentication_error`, `forbidden`, `service_unavailable`.
   */
  callerOf(token: string, snapshot: Pick<Snapshot, 'configuration'>, resource?: string): Promise<Principal>;
}
