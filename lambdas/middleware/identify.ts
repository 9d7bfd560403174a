/** Who calls, and may they (spec §5, contract §2): key → principal → role, kind, tenant. */

import type { Snapshot } from '#core/configuration/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/routes.ts';
import { authenticate } from '#core/identity/authenticate.ts';
import { authorize, requireConfiguredAdmin } from '#core/identity/authorize.ts';
import type { Principal } from '#core/identity/principal.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Admissions } from '#core/limits/admissions.ts';
import { headerOf, headerValues } from './body.ts';

/** What every door that asks for a key is given. */
export interface AdmissionPorts {
  readonly admissions: Admissions;
}

/**
 * The caller of a request, counted against the limits of its key and its address.
 * @throws GatewayError `authentication_error`, `forbidden`, `rate_limit_error`.
 */
export function identify(event: HttpEvent, route: Route, snapshot: Snapshot, admissions: Admissions): Principal {
  const principal = known(event, route, snapshot, admissions);
  if (route.surface === 'admin') admissions.request(principal.key_id, snapshot.configuration.admin.requests_per_second);
  return permitted(event, route, principal, snapshot);
}

/** The same without counting, for whoever only wants to know whether the door will let the caller in. */
export const wouldIdentify = (event: HttpEvent, route: Route, snapshot: Snapshot): Principal =>
  permitted(event, route, authenticated(event, route, snapshot), snapshot);

function known(event: HttpEvent, route: Route, snapshot: Snapshot, admissions: Admissions): Principal {
  const address = event.requestContext?.identity?.sourceIp ?? '';
  let principal: Principal;
  try {
    principal = authenticated(event, route, snapshot);
  } catch (fault) {
    if (carriesCredential(event)) admissions.failed(address);
    throw fault;
  }
  admissions.succeeded(address, principal.key_id);
  return principal;
}

const carriesCredential = (event: HttpEvent): boolean =>
  headerValues(event, 'x-api-key').length + headerValues(event, 'authorization').length > 0;

function authenticated(event: HttpEvent, route: Route, snapshot: Snapshot): Principal {
  if (route.surface === 'admin') requireConfiguredAdmin(snapshot.identities);
  return authenticate(
    { 'x-api-key': headerValues(event, 'x-api-key'), authorization: headerValues(event, 'authorization') },
    snapshot.identities,
  );
}

function permitted(event: HttpEvent, route: Route, principal: Principal, snapshot: Snapshot): Principal {
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
