/** Authorises a key for a route by role, kind and reach, based only on the routes table. */
import type { Configuration } from '#core/contracts/config.ts';
import { includesRole, type Route } from '#core/contracts/route.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Identities } from './identities.ts';
import type { Principal } from './principal.ts';

/** Refusal because the caller's role is too low. A token with another scope may have a higher role. */
export class RoleTooLow extends GatewayError {
  constructor(message: string) {
    super('forbidden', message);
  }
}

/**
 * Checks every rule of the route. For `own` routes, visibility is checked when the object is read.
 * @throws GatewayError `authentication_error` without a principal on a closed route, `forbidden` otherwise.
 */
export function authorize(route: Route, principal: Principal | undefined): void {
  if (route.access === 'open' || route.access === 'signed') return;
  if (!principal) throw new GatewayError('authentication_error', 'Send one key as X-API-Key or Authorization: Bearer.');
  const call = `${route.method} ${route.path}`;
  if (route.access === 'plane') {
    if (principal.plane === undefined) throw forbidden(`${call} needs the token of a data plane, not a key.`);
    return;
  }
  if (principal.plane !== undefined)
    throw forbidden(`${call} needs a key, not the token of the data plane ${principal.plane}.`);
  if (!includesRole(principal.role, route.access))
    throw new RoleTooLow(`${call} needs the role ${rolesFrom(route.access)}; this key has the role ${principal.role}.`);
  if (route.humansOnly && principal.kind !== 'human')
    throw forbidden(`${call} needs a key of kind human; this key is of kind ${principal.kind}.`);
  if (principal.kind === 'agent' && route.agents === 'no')
    throw forbidden(`${call} needs a key of kind human or service; this key is of kind agent.`);
  if (route.platform && !principal.platform) {
    throw forbidden(
      `${call} needs the admin token or a key with platform: true; this key is of tenant ${principal.tenant}.`,
    );
  }
}

/**
 * Keeps the admin surface closed if there is no administrator.
 * @throws GatewayError `forbidden` if there is neither an admin token, nor an administrator's key, nor an administrator
 * entry in `identity`.
 */
export function requireConfiguredAdmin({ byKeyId }: Identities, identity?: Configuration['identity']): void {
  for (const { role, kind } of byKeyId.values()) if (role === 'admin' && kind !== 'agent') return;
  if (identity?.oidc.some(({ callers }) => callers.some(({ role, kind }) => role === 'admin' && kind !== 'agent')))
    return;
  throw forbidden(
    'The admin surface is closed: no admin token and no admin key are configured. Set admin.token_env, or give a key the role admin.',
  );
}

const rolesFrom = (needed: 'viewer' | 'operator' | 'admin'): string =>
  ({ viewer: 'viewer, operator or admin', operator: 'operator or admin', admin: 'admin' })[needed];

const forbidden = (message: string) => new GatewayError('forbidden', message);
