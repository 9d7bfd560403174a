/**
 * Maps verified claims to a principal according to the active configuration. Claims grant only what an entry allows.
 */
import type { Configuration, OidcCaller, OidcProvider, Person } from '#core/contracts/config.ts';
import type { FederatedCaller } from '#core/contracts/federated.ts';
import { type Role, roles } from '#core/contracts/route.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { grantsOf, highestRole, lowestRole, reachOf } from '../grants.ts';
import type { Principal } from '../principal.ts';
import { RefusedToken } from '../refused-token.ts';

type Claims = Readonly<Record<string, unknown>>;
type People = Pick<Configuration, 'people' | 'tenants' | 'organizations'>;

/**
 * Returns the principal of a token, or of a row that stores the token's claims [identity.oidc-mapping].
 * @param caller the caller, whose `claims` were verified when the token arrived.
 * @throws GatewayError `authentication_error` for a revoked subject or a missing required claim, `forbidden` if no
 * entry matches or if the entry leads to a tenant, role or person that is not in the configuration.
 */
export function principalOfClaims(provider: OidcProvider, caller: FederatedCaller, configuration: People): Principal {
  const { claims, subject, issuer, client } = caller;
  if (provider.revoked_subjects.includes(subject)) throw new RefusedToken('the subject of the token was revoked');
  if (!hasClaims(provider.required_claims, claims))
    throw new RefusedToken('a claim that identity.oidc requires is missing');
  const entry = provider.callers.find(({ when }) => hasClaims(when, claims));
  if (!entry) throw forbidden('no identity.oidc callers entry matches its claims');
  const tenant = tenantOf(entry, claims, configuration);
  const person = humanOf(provider, entry.person, entry.person_claim, claims, configuration);
  const owner = humanOf(provider, entry.owner, entry.owner_claim, claims, configuration);
  const theirs = person?.tenants ?? [];
  const granted = person ? grantsOf(configuration, person.id).get(tenant) : undefined;
  if (theirs.length > 0 && !theirs.includes('*') && !theirs.includes(tenant) && granted === undefined)
    throw forbidden(`the person ${person?.id} may not act in the tenant ${tenant}`);
  const held = person ? [highestRole([person.role, ...(granted ? [granted] : [])])] : [];
  const role = lowestRole([entry.role, ...rolesOf(entry, claims), ...held]);
  return {
    key_id: `oidc-${digestOf([issuer, subject, client ?? null, entry.kind]).slice(0, 24)}`,
    name: label(onlyClaim(claims, entry.name_claim) ?? client ?? subject),
    tenant,
    role,
    kind: entry.kind,
    ...(person && { person: person.id }),
    ...(owner && { owner: owner.id }),
    platform: entry.platform,
    ...reachOf(configuration, person?.id, [...new Set([tenant, ...theirs])], role),
    federated: caller,
  };
}

/** Returns the names of the claims that this provider's settings use. Other claims are dropped. */
export const claimsRead = ({ required_claims, callers }: OidcProvider): Set<string> =>
  new Set([
    ...Object.keys(required_claims),
    ...callers.flatMap(({ when, tenant_claim, role_claim, person_claim, owner_claim, name_claim }) => [
      ...Object.keys(when),
      ...[tenant_claim, role_claim, person_claim, owner_claim, name_claim].filter((name) => name !== undefined),
    ]),
  ]);

/**
 * Returns the values of a claim as strings. `scope` is a single string of several words; a dot in the name leads into
 * an object.
 */
export function claimValues(claims: Claims, name: string): string[] {
  const value = Object.hasOwn(claims, name)
    ? claims[name]
    : name
        .split('.')
        .reduce<unknown>(
          (at, step) =>
            at !== null && typeof at === 'object' && Object.hasOwn(at, step)
              ? (at as Record<string, unknown>)[step]
              : undefined,
          claims,
        );
  if (typeof value === 'string') return name === 'scope' || name === 'scp' ? value.split(' ').filter(Boolean) : [value];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((one) => (['string', 'number', 'boolean'].includes(typeof one) ? [String(one)] : []));
}

const hasClaims = (needed: Readonly<Record<string, readonly string[]>>, claims: Claims): boolean =>
  Object.entries(needed).every(([name, allowed]) => claimValues(claims, name).some((value) => allowed.includes(value)));

/** Returns the value of a claim that determines an identity. Such a claim must have exactly one value. */
function onlyClaim(claims: Claims, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const values = claimValues(claims, name);
  return values.length === 1 ? values[0] : undefined;
}

function tenantOf(entry: OidcCaller, claims: Claims, { tenants }: People): string {
  const named = entry.tenant ?? onlyClaim(claims, entry.tenant_claim);
  const allowed = entry.tenant !== undefined || entry.tenants.includes('*') || entry.tenants.includes(named ?? '');
  if (named !== undefined && allowed && tenants.some(({ id }) => id === named)) return named;
  throw forbidden(`its claim ${entry.tenant_claim} names no tenant that identity.oidc allows`);
}

/** Returns the person named in an entry, or undefined if there is none. */
function humanOf(
  provider: OidcProvider,
  fixed: string | undefined,
  claim: string | undefined,
  claims: Claims,
  { people }: People,
): Person | undefined {
  if (fixed === undefined && claim === undefined) return undefined;
  const value = onlyClaim(claims, claim);
  const found =
    fixed === undefined
      ? people.find(({ oidc_ids }) => value !== undefined && oidc_ids?.includes(`${provider.name}/${value}`))
      : people.find(({ id }) => id === fixed);
  if (found) return found;
  throw forbidden(`its claim ${claim} is mapped to no person; add it to people[].oidc_ids`);
}

/** Returns the highest known role in the role claim. Unknown roles are ignored. */
function rolesOf({ role_claim }: OidcCaller, claims: Claims): Role[] {
  if (role_claim === undefined) return [];
  const known = roles.filter((role) => claimValues(claims, role_claim).includes(role));
  const highest = known.at(-1);
  if (highest === undefined) throw forbidden(`its claim ${role_claim} names no role; allowed: ${roles.join(', ')}`);
  return [highest];
}

/** Cleans and shortens a name from a token, because reviewers see that name. */
const label = (text: string): string => text.replace(/[^\w .@:/+-]/g, '_').slice(0, 64);

const forbidden = (why: string) => new GatewayError('forbidden', `The token is valid, but ${why}.`);
