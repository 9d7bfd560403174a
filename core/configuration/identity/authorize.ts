/** Authorises a key for a route by role, kind and reach, from the routes table alone. */
import type { Configuration } from '#core/contracts/config.ts';
import { includesRole, type Route } from '#core/contracts/route.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Identities } from './identities.ts';
import type { Principal } from './principal.ts';

/** Refusal because the caller's role is too low; a token of another scope may have a higher one. */
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
    if (principal.plane === undefined) throw forbidden(`${call}: found a key, allowed the token of a data plane.`);
    return;
  }
  if (principal.plane !== undefined)
    throw forbidden(`${call}: found the token of the data plane ${principal.plane}, allowed a key.`);
  if (!includesRole(principal.role, route.access)) {
    throw new RoleTooLow(`${call}: found role ${principal.role}, allowed ${rolesFrom(route.access)}.`);
  }
  if (route.humansOnly && principal.kind !== 'human') {
    throw forbidden(`${call}: found a key of kind ${principal.kind}, allowed human.`);
  }
  if (principal.kind === 'agent' && route.agents === 'no') {
    throw forbidden(`${call}: found a key of kind agent, allowed human or service.`);
  }
  if (route.platform && !principal.platform) {
    throw forbidden(
      `${call}: found a key of tenant ${principal.tenant}, allowed the admin token or a key with platform: true.`,
    );
  }
}

/**
 * Keeps the admin surface closed if there is no administrator.
 * @throws GatewayError `forbidden` if there is no admin token, no administrator's key and no administrator entry in
 * `identity`.
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
