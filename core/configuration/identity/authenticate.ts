/** From credential to principal: headers only; keys by digest lookup and constant-time compare, else a token of an issuer. */
import { timingSafeEqual } from 'node:crypto';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { defaultAdminTokenName } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import type { Tokens } from './federation/ports.ts';
import { adminPrincipal, type Identities } from './identities.ts';
import type { Principal } from './principal.ts';
import { RefusedToken } from './refused-token.ts';

/** Headers as a host has them: one text, or every value that was sent. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** @throws GatewayError `authentication_error`: no credential, several, or one that is not known. */
export function authenticate(headers: Headers, identities: Identities): Principal {
  const known = principalOfKey(credentialOf(headers), identities);
  if (known) return known;
  throw unknownKey();
}

/**
 * The same where tokens of issuers count beside keys [identity.oidc-token]. A credential that is a key stays one, whatever its form.
 * @param resource the audience that a token must have on this surface.
 * @throws GatewayError as `authenticate` and `Tokens.callerOf`.
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

/** Three or five parts, the first of which is a JSON object. */
const looksLikeToken = (credential: string): boolean => /^eyJ[\w-]*(\.[\w-]*){2,4}$/.test(credential);

function principalOfKey(credential: string, { byDigest }: Identities): Principal | undefined {
  const digest = sha256(credential);
  const known = byDigest.get(digest);
  return known && sameDigest(known.key_sha256, digest) ? known.principal : undefined;
}

/**
 * The platform's administrator before any configuration exists, so before any other key can be known.
 * @param stored SHA-256 of the token, where it is kept apart from the secrets that this process reads.
 * @throws GatewayError `forbidden` when no admin token is configured, `authentication_error` for any other credential.
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
  if (!sameDigest(digest, expected)) throw refused('the key is not the admin token');
  return adminPrincipal('default');
}

/** The one credential of a request. Query parameters and cookies are never looked at: both end up in logs and histories. */
function credentialOf(headers: Headers): string {
  const keys = valuesOf(headers, 'x-api-key');
  const tokens = valuesOf(headers, 'authorization').map(bearerToken);
  if (keys.length > 1 || tokens.length > 1) throw refused('a credential header was sent more than once');
  const [credential, other] = [...keys, ...tokens];
  if (credential === undefined || credential === '') throw refused('no key was sent');
  if (other !== undefined && other !== credential) throw refused('two different credentials were sent');
  return credential;
}

/** Names are compared without case; a name spelt in two ways is the header sent twice. */
function valuesOf(headers: Headers, name: string): readonly string[] {
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
  const match = /^bearer +([\x21-\x7e]+) *$/i.exec(value);
  if (/^aws4-hmac-sha256 /i.test(value))
    throw refused(
      'the request is signed for AWS (SigV4), which counts only at the IAM API of a deployment (-c iamCallers=on)',
    );
  if (!match) throw refused('the Authorization header is not a bearer token');
  return match[1]!;
}

/** In a time that does not depend on where two digests differ. */
const sameDigest = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));

const unknownKey = () => refused('the key is not known, or was revoked');

const refused = (why: string) =>
  new GatewayError(
    'authentication_error',
    `Not authenticated: ${why}. Send one key as X-API-Key or Authorization: Bearer.`,
  );
