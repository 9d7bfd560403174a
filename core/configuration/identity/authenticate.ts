/**
 * Authenticates callers from headers only: first keys, by digest lookup and constant-time comparison, then issuer
 * tokens.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { defaultAdminTokenName } from '#core/contracts/config/secret-names.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import type { Tokens } from './federation/ports.ts';
import { adminPrincipal, type Identities } from './identities.ts';
import type { Principal } from './principal.ts';
import { RefusedToken } from './refused-token.ts';

/** Headers as the host provides them: one string, or all values that were sent. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the principal of the key in the headers.
 * @throws GatewayError `authentication_error` if there is no credential, more than one, or an unknown one.
 */
export function authenticate(headers: Headers, identities: Identities): Principal {
  const known = principalOfKey(credentialOf(headers), identities);
  if (known) return known;
  throw unknownKey();
}

/**
 * Authenticates by key or issuer token [identity.oidc-token]. A known key is treated as a key, whatever its form.
 * @param resource the audience that a token needs on this surface.
 * @throws GatewayError as `authenticate` and `Tokens.callerOf` do.
 */
export async function authenticateCaller(
  headers: Headers,
  snapshot: Pick<Snapshot, 'configuration' | 'identities'>,
  tokens: Tokens,
  resource?: string,
): Promise<Principal> {
  const credential = credentialOf(headers);
  const known = principalOfKey(credential, snapshot.identities);
  if (known) return known;
  if (!looksLikeToken(credential)) throw unknownKey();
  if (snapshot.configuration.identity.oidc.length === 0)
    throw new RefusedToken('it is a JWT, and no issuer is configured in identity.oidc');
  return tokens.callerOf(credential, snapshot, resource);
}

/**
 * Returns the SHA-256 of the key in the headers, or undefined if the credential is a token or there is not exactly one
 * credential.
 */
export function presentedDigest(headers: Headers): string | undefined {
  try {
    const credential = credentialOf(headers);
    return looksLikeToken(credential) ? undefined : sha256(credential);
  } catch {
    return undefined; // authentication reports the reason
  }
}

/** Matches three to five parts, of which the first is a JSON object. */
const looksLikeToken = (credential: string): boolean => /^eyJ[\w-]*(\.[\w-]*){2,4}$/.test(credential);

function principalOfKey(credential: string, { byDigest }: Identities): Principal | undefined {
  const digest = sha256(credential);
  const known = byDigest.get(digest);
  return known && sameDigest(known.key_sha256, digest) ? known.principal : undefined;
}

/**
 * Authenticates the platform administrator before any configuration exists, so no other key is accepted.
 * @param stored returns the SHA-256 of the token if it is stored separately from the secrets that this process reads.
 * @throws GatewayError `forbidden` if no admin token is configured, `authentication_error` for any other credential.
 */
export async function authenticateAdminToken(
  apiKey: readonly string[],
  authorization: readonly string[],
  secrets: SecretStore,
  stored: () => Promise<string | undefined>,
): Promise<Principal> {
  const token = (await secrets.get(defaultAdminTokenName))?.trim();
  const expected = (await stored()) ?? (token ? sha256(token) : undefined);
  if (expected === undefined) {
    throw new GatewayError(
      'forbidden',
      `No admin token is configured; set ${defaultAdminTokenName} to open this surface, or run agentctl bootstrap on AWS.`,
    );
  }
  const digest = sha256(credentialOf({ 'x-api-key': apiKey, authorization }));
  if (!sameDigest(digest, expected)) throw notAuthenticated('the key is not the admin token');
  return adminPrincipal('default');
}

/**
 * Returns the only credential of a request. Query parameters and cookies are ignored, because both end up in logs and
 * histories.
 */
function credentialOf(headers: Headers): string {
  const keys = headerValues(headers, 'x-api-key');
  const tokens = headerValues(headers, 'authorization').map(bearerToken);
  if (keys.length > 1 || tokens.length > 1) throw notAuthenticated('a credential header was sent more than once');
  // Clients that are given one credential may send the header of the other one empty.
  const [credential, other] = [...keys, ...tokens].filter((sent) => sent !== '');
  if (credential === undefined) throw notAuthenticated(tokens.length > 0 ? notBearer : 'no key was sent');
  if (other !== undefined && other !== credential) throw notAuthenticated('two different credentials were sent');
  return credential;
}

const notBearer = 'the Authorization header is not a bearer token';

/** Returns all values of a header, ignoring case. A name in two spellings counts as a repeated header. */
function headerValues(headers: Headers, name: string): readonly string[] {
  let found: readonly string[] = [];
  for (const key of Object.keys(headers)) {
    const value = headers[key];
    if (value === undefined || key.toLowerCase() !== name) continue;
    const values = typeof value === 'string' ? [value] : value;
    found = found.length === 0 ? values : [...found, ...values];
  }
  return found;
}

function bearerToken(value: string): string {
  const match = /^bearer(?: +([\x21-\x7e]+))? *$/i.exec(value);
  if (/^aws4-hmac-sha256 /i.test(value))
    throw notAuthenticated(
      'the request is signed for AWS (SigV4), which only the IAM API of a deployment accepts (-c iamCallers=on)',
    );
  if (!match) throw notAuthenticated(notBearer);
  return match[1] ?? '';
}

/** Compares digests in constant time. */
const sameDigest = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));

const unknownKey = () => notAuthenticated('the key is not known, or was revoked');

const notAuthenticated = (why: string) =>
  new GatewayError(
    'authentication_error',
    `Not authenticated: ${why}. Send one key as X-API-Key or Authorization: Bearer.`,
  );
