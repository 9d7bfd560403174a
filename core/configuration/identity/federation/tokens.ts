/**
 * Bearer tokens from configured issuers. Tokens are bounded, parsed, verified and mapped, in this order
 * [identity.oidc-token].
 */
import type { JWTPayload, JWTVerifyResult } from 'jose';
import type { Configuration, OidcProvider } from '#core/contracts/config.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { RefusedToken } from '../refused-token.ts';
import { claimsRead, claimValues, principalOfClaims } from './claims.ts';
import { IssuerKeys, type IssuerKeysDeps } from './issuer-keys.ts';
import type { Tokens } from './ports.ts';

/** Maximum length, checked before decoding. Tokens have one byte per character. */
const maxTokenBytes = 8_192;

export function createTokens(deps: IssuerKeysDeps): Tokens {
  const keysOf = issuerKeys(deps);
  return {
    async callerOf(token, { configuration }, resource) {
      const provider = providerOf(token, configuration);
      const keys = keysOf(provider, configuration);
      const { payload, protectedHeader } = await verifyToken(token, provider, keys, deps.clock.now());
      checkType(protectedHeader.typ, provider);
      checkLifetime(payload, provider, deps.clock.now());
      checkBinding(payload);
      if (resource !== undefined && !audiencesOf(payload).includes(resource))
        throw new RefusedToken(`the token is not for ${resource}; ask the issuer for one with this audience`);
      return principalOfClaims(provider, keptClaims(provider, payload), configuration);
    },
  };
}

/** Caches the keys of issuers, one cache per entry in the active configuration. */
function issuerKeys(deps: IssuerKeysDeps) {
  const known = new Map<string, IssuerKeys>();
  const idOf = ({ issuer, jwks_uri, stale_keys_seconds }: OidcProvider) =>
    digestOf([issuer, jwks_uri ?? null, stale_keys_seconds]);
  return (provider: OidcProvider, { identity }: Configuration): IssuerKeys => {
    const id = idOf(provider);
    const keys = known.get(id) ?? new IssuerKeys(provider, deps);
    known.set(id, keys);
    if (known.size > identity.oidc.length) {
      const inForce = new Set(identity.oidc.map(idOf));
      for (const other of known.keys()) if (!inForce.has(other)) known.delete(other);
    }
    return keys;
  };
}

/** Finds a token's entry by its unverified issuer and audience. Tokens from other issuers cause no fetch. */
function providerOf(token: string, { identity }: Configuration): OidcProvider {
  if (token.length > maxTokenBytes)
    throw new RefusedToken(`the token has ${token.length} characters; at most ${maxTokenBytes} are read`);
  const claims = unverifiedClaims(token);
  const ofIssuer = identity.oidc.filter(({ issuer }) => issuer === claims.iss);
  if (ofIssuer.length === 0) throw new RefusedToken('the issuer of the token is not configured in identity.oidc');
  const given = audiencesOf(claims);
  const [found, other] = ofIssuer.filter(({ audiences }) => audiences.some((one) => given.includes(one)));
  if (!found) throw new RefusedToken('the audience of the token is not one that identity.oidc lists for its issuer');
  if (other) throw new RefusedToken("the token's audiences match several entries of identity.oidc; only one may match");
  return found;
}

function unverifiedClaims(token: string): JWTPayload {
  const [, payload] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString('utf8'));
    if (claims !== null && typeof claims === 'object' && !Array.isArray(claims)) return claims as JWTPayload;
  } catch (cause) {
    throw new RefusedToken('the token is not a JWT that can be read', { cause });
  }
  throw new RefusedToken('the token is not a JWT that can be read');
}

const audiencesOf = ({ aud }: JWTPayload): string[] =>
  typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud : [];

async function verifyToken(
  token: string,
  provider: OidcProvider,
  keys: IssuerKeys,
  now: number,
): Promise<JWTVerifyResult> {
  const { jwtVerify } = await import('jose');
  try {
    return await jwtVerify(token, (header) => keys.key(header), {
      algorithms: [...provider.algorithms],
      issuer: provider.issuer,
      audience: [...provider.audiences],
      clockTolerance: provider.clock_skew_seconds,
      requiredClaims: ['exp', 'iat', 'sub'],
      currentDate: new Date(now),
    });
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw refusedBecause(thrown);
  }
}

/** Translates a library error. Any other error is a fault in the gateway. */
function refusedBecause(thrown: unknown): GatewayError {
  const { code, claim } = thrown as { code?: string; claim?: string };
  if (code === undefined || !code.startsWith('ERR_J')) return asGatewayError(thrown);
  const why: Record<string, string> = {
    ERR_JWT_EXPIRED: 'the token has expired; ask its issuer for another one',
    ERR_JWT_CLAIM_VALIDATION_FAILED: `the claim ${claim} of the token is missing or not valid`,
    ERR_JOSE_ALG_NOT_ALLOWED: 'the algorithm of the token is not one that identity.oidc allows for its issuer',
    ERR_JOSE_NOT_SUPPORTED: 'the token needs an extension that is not supported',
    ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of the token is not valid',
    ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the token names no key (kid), and several keys of its issuer fit',
  };
  return new RefusedToken(why[code] ?? 'the token is not a signed JWT that can be read', { cause: thrown });
}

function checkType(typ: unknown, { token_types }: OidcProvider): void {
  const found = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : 'none';
  if (token_types.some((allowed) => allowed.toLowerCase() === found)) return;
  throw new RefusedToken(`the type (typ) of the token is not one that identity.oidc allows: ${token_types.join(', ')}`);
}

function checkLifetime({ exp = 0, iat = 0, sub }: JWTPayload, provider: OidcProvider, now: number): void {
  const { max_lifetime_seconds: most, clock_skew_seconds: skew } = provider;
  if (iat > now / 1000 + skew) throw new RefusedToken('the token was issued in the future');
  if (exp - iat > most) throw new RefusedToken(`the token lives longer than ${most} seconds (max_lifetime_seconds)`);
  if (typeof sub !== 'string' || sub === '' || sub.length > 255)
    throw new RefusedToken('the subject (sub) of the token is not a string of 1 to 255 characters');
}

/** Refuses a token that only counts with proof of a key or certificate of its client (RFC 7800, 8705, 9449). */
function checkBinding({ cnf }: JWTPayload): void {
  if (cnf !== undefined)
    throw new RefusedToken(
      'the token is bound to a key of its client (cnf), which is not checked here; ask the issuer for a bearer token',
    );
}

/** Returns the parts of a token that are stored: caller, client, expiry, and the claims that the mapping reads. */
function keptClaims(provider: OidcProvider, payload: JWTPayload) {
  const [client] = [...claimValues(payload, 'client_id'), ...claimValues(payload, 'azp')];
  const claims = [...claimsRead(provider)].flatMap((name) => {
    const values = claimValues(payload, name);
    return values.length === 0 ? [] : [[name, name === 'scope' || name === 'scp' ? values.join(' ') : values] as const];
  });
  return {
    provider: provider.name,
    issuer: provider.issuer,
    subject: payload.sub as string,
    ...(client !== undefined && { client }),
    claims: Object.fromEntries(claims),
    expires_at: isoTime((payload.exp as number) * 1000),
  };
}
