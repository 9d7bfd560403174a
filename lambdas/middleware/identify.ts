/** Who calls, and may they (spec §5, contract §2): key → principal → role, kind, tenant. */

import type { Snapshot } from '#core/configuration/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/routes.ts';
import { authenticate } from '#core/identity/authenticate.ts';
import { authorize, requireConfiguredAdmin } from '#core/identity/authorize.ts';
import type { Principal } from '#core/identity/principal.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { headerOf, headerValues } from './body.ts';

export function identify(event: HttpEvent, route: Route, snapshot: Snapshot): Principal {
  if (route.surface === 'admin') requireConfiguredAdmin(snapshot.identities);
  const principal = authenticate(
    { 'x-api-key': headerValues(event, 'x-api-key'), authorization: headerValues(event, 'authorization') },
    snapshot.identities,
  );
  authorize(route, principal);
  return inTenant(event, principal, snapshot);
}

/** The admin token acts in every tenant; `X-Tenant-ID` says in which. */
function inTenant(event: HttpEvent, principal: Principal, snapshot: Snapshot): Principal {
  const wanted = headerOf(event, 'x-tenant-id');
  if (wanted === undefined || wanted === principal.tenant) return principal;
  if (!principal.tenants.includes('*') && !principal.tenants.includes(wanted)) {
    throw new GatewayError('forbidden', `X-Tenant-ID names another tenant than this key's (${principal.tenant}).`);
  }
  if (!snapshot.configuration.tenants.some(({ id }) => id === wanted)) {
    throw invalidRequest('X-Tenant-ID names no tenant of the configuration.');
  }
  return { ...principal, tenant: wanted };
}
