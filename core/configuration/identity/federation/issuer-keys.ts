/**
 * Public keys of one issuer. They are fetched when needed, cached for ten minutes, and used for a limited time longer
 * if the issuer does not respond. Tokens cannot cause more than one fetch in thirty seconds, whichever key ids they
 * name [identity.oidc-token].
 */
import type { CryptoKey, JWSHeaderParameters, LocalJWKSet } from 'jose';
import type { OidcProvider } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { RefusedToken } from '../refused-token.ts';
import type { IssuerDocuments } from './ports.ts';
import { isIssuerUrl } from './urls.ts';

/** Time after which keys are fetched again. */
const freshKeysMs = 600_000;
/** Minimum time between two fetches, including after a failure or for an unknown key id. */
const fetchPauseMs = 30_000;
/** Maximum number of keys. Issuers have two or three, and verification tries them all. */
const maxKeys = 100;
/** Minimum length of RSA keys in bits (RFC 7518, section 3.3). */
const minRsaBits = 2048;

interface CachedKeys {
  readonly find: LocalJWKSet;
  readonly fetchedAt: number;
}

export interface IssuerKeysDeps {
  readonly documents: IssuerDocuments;
  readonly clock: Clock;
}

export class IssuerKeys {
  readonly #provider: OidcProvider;
  readonly #deps: IssuerKeysDeps;
  #held: CachedKeys | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | undefined;

  constructor(provider: OidcProvider, deps: IssuerKeysDeps) {
    this.#provider = provider;
    this.#deps = deps;
  }

  /**
   * Returns the key named in a token's header.
   * @throws RefusedToken if the issuer does not publish the key or the key cannot be used, GatewayError
   * `service_unavailable` if the keys have never been fetched or were fetched too long ago.
   */
  async key(header: JWSHeaderParameters): Promise<CryptoKey> {
    if (this.#age() >= freshKeysMs) await this.#fetch();
    let found = await this.#find(header);
    if (!found) {
      await this.#fetch();
      found = await this.#find(header);
    }
    if (!found) throw new RefusedToken('the key that signed the token is not one that its issuer publishes');
    if (isShort(found)) throw new RefusedToken(`the key that signed the token is shorter than ${minRsaBits} bits`);
    return found;
  }

  async #find(header: JWSHeaderParameters): Promise<CryptoKey | undefined> {
    if (!this.#held || this.#age() > this.#provider.stale_keys_seconds * 1000) throw unreachable(this.#provider);
    try {
      return await this.#held.find(header);
    } catch (thrown) {
      const { code } = thrown as { code?: unknown };
      if (code === 'ERR_JWKS_NO_MATCHING_KEY') return undefined;
      // Errors of the key set have a string code. Any other error is from the import of the key.
      if (typeof code === 'string') throw thrown;
      throw new RefusedToken('the key that signed the token is published in a form that is not valid', {
        cause: thrown,
      });
    }
  }

  #age = (): number => this.#deps.clock.now() - (this.#held?.fetchedAt ?? Number.NEGATIVE_INFINITY);

  /**
   * Fetches the keys, with only one fetch at a time and a pause between fetches. After a failure, the known keys are
   * kept.
   */
  async #fetch(): Promise<void> {
    const now = this.#deps.clock.now();
    if (!this.#fetching && now - this.#triedAt >= fetchPauseMs) {
      this.#triedAt = now;
      this.#fetching = this.#load(now)
        .catch(() => {})
        .finally(() => {
          this.#fetching = undefined;
        });
    }
    await this.#fetching;
  }

  async #load(now: number): Promise<void> {
    const { documents } = this.#deps;
    const set = await documents.json(this.#provider.jwks_uri ?? (await this.#discovered()));
    const { keys } = set as { keys?: unknown };
    if (!Array.isArray(keys) || keys.length > maxKeys)
      throw new Error('the issuer published no key set, or one with too many keys');
    const { createLocalJWKSet } = await import('jose');
    this.#held = { find: createLocalJWKSet({ keys }), fetchedAt: now };
  }

  async #discovered(): Promise<string> {
    const { issuer } = this.#provider;
    const found = await this.#deps.documents.json(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { issuer: named, jwks_uri } = found as { issuer?: unknown; jwks_uri?: unknown };
    if (named !== issuer || typeof jwks_uri !== 'string' || !isIssuerUrl(jwks_uri, issuer))
      throw new Error('the discovery document names another issuer, or has no valid jwks_uri');
    return jwks_uri;
  }
}

const isShort = ({ algorithm }: CryptoKey): boolean =>
  'modulusLength' in algorithm && Number(algorithm.modulusLength) < minRsaBits;

const unreachable = ({ name }: OidcProvider) =>
  new GatewayError(
    'service_unavailable',
    `The keys of the issuer ${name} (identity.oidc) cannot be fetched, so its tokens cannot be verified; try again shortly.`,
    { retryAfterSeconds: fetchPauseMs / 1000 },
  );
