/** Authentication and authorization: key or token → principal → role, kind, tenant. */

import { authenticateCaller, presentedDigest } from '#core/configuration/identity/authenticate.ts';
import { authorize, requireConfiguredAdmin } from '#core/configuration/identity/authorize.ts';
import type { Tokens } from '#core/configuration/identity/federation/ports.ts';
import { actingIn } from '#core/configuration/identity/grants.ts';
import { keyIdOf } from '#core/configuration/identity/identities.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Admissions } from '#core/limits/admissions.ts';
import { headerOf, headerValues } from './body.ts';

/** Ports of every function that requires a credential. */
export interface AdmissionPorts {
  readonly admissions: Admissions;
  readonly tokens: Tokens;
}

/**
 * Returns the active configuration, including the caller's rows: its key and tenant, and the tenant in `X-Tenant-ID` if
 * the key acts in all tenants [tenants.rows]. A caller defined in the configuration requires no read.
 * @throws GatewayError `service_unavailable`, or `rate_limit_error` after too many wrong keys from its address.
 */
export async function snapshotFor(
  event: HttpEvent,
  { snapshots, admissions }: Pick<AdmissionPorts, 'admissions'> & { readonly snapshots: Pick<Snapshots, 'current'> },
  how: { readonly evenStale?: boolean } = {},
): Promise<Snapshot> {
  let snapshot = await snapshots.current(how);
  const checked = checkedCallers.get(event.headers);
  if (checked?.snapshot === snapshot && !checked.principal.tenants.includes('*')) return snapshot;
  const digest = presentedDigest(credentialHeaders(event));
  if (digest === undefined) return snapshot;
  if (!snapshot.identities.byDigest.has(digest)) {
    const key_id = keyIdOf(digest);
    admissions.lookUp(addressOf(event), key_id);
    snapshot = await snapshots.current({ ...how, of: { key_id } });
  }
  const caller = snapshot.identities.byDigest.get(digest)?.principal;
  if (!caller?.tenants.includes('*')) return snapshot;
  const tenant = headerOf(event, 'x-tenant-id') ?? caller.tenant;
  return snapshots.current({ ...how, of: { key_id: caller.key_id, tenant } });
}

const credentialHeaders = (event: HttpEvent) => ({
  'x-api-key': headerValues(event, 'x-api-key'),
  authorization: headerValues(event, 'authorization'),
});

/**
 * Returns a request's caller, and counts the request against the limits of its key and address.
 * @throws GatewayError `authentication_error`, `forbidden`, `rate_limit_error`, or `service_unavailable` for a token
 * whose issuer cannot be reached.
 */
export async function identify(
  event: HttpEvent,
  route: Route,
  snapshot: Snapshot,
  { admissions, tokens }: AdmissionPorts,
): Promise<Principal> {
  const checked = callerBeforeBody(event, route, snapshot);
  if (checked) admissions.succeeded(addressOf(event), checked.key_id);
  const principal = checked ?? (await identifyCaller(event, route, snapshot, { admissions, tokens }));
  if (route.surface === 'admin') admissions.request(principal.key_id, snapshot.configuration.admin.requests_per_second);
  return checked ?? authorizeInTenant(event, route, principal, snapshot);
}

/** Returns the caller without counting the request, for a host that checks the caller before it reads a body. */
export async function wouldIdentify(
  event: HttpEvent,
  route: Route,
  snapshot: Snapshot,
  { tokens }: Pick<AdmissionPorts, 'tokens'>,
): Promise<Principal> {
  const principal = authorizeInTenant(event, route, await authenticated(event, route, snapshot, tokens), snapshot);
  checkedCallers.set(event.headers, { route, snapshot, principal });
  return principal;
}

interface CheckedCaller {
  readonly route: Route;
  readonly snapshot: Snapshot;
  readonly principal: Principal;
}

/** Callers that a host checked before the body, keyed by their request's headers. */
const checkedCallers = new WeakMap<object, CheckedCaller>();

/**
 * Returns the caller as checked before the body, if the same configuration is still active. A token is verified again,
 * because it may have expired in the meantime.
 */
function callerBeforeBody(event: HttpEvent, route: Route, snapshot: Snapshot): Principal | undefined {
  const checked = checkedCallers.get(event.headers);
  const isCurrent = checked?.route === route && checked.snapshot === snapshot && !checked.principal.federated;
  return isCurrent ? checked.principal : undefined;
}

const addressOf = (event: HttpEvent): string => event.requestContext?.identity?.sourceIp ?? '';

async function identifyCaller(
  event: HttpEvent,
  route: Route,
  snapshot: Snapshot,
  { admissions, tokens }: AdmissionPorts,
): Promise<Principal> {
  const address = addressOf(event);
  let principal: Principal;
  try {
    principal = await authenticated(event, route, snapshot, tokens);
  } catch (fault) {
    // An unreachable issuer does not make a credential wrong.
    if (carriesCredential(event) && asGatewayError(fault).kind.status < 500) admissions.failed(address);
    throw fault;
  }
  admissions.succeeded(address, principal.key_id);
  return principal;
}

const carriesCredential = (event: HttpEvent): boolean =>
  headerValues(event, 'x-api-key').length + headerValues(event, 'authorization').length > 0;

async function authenticated(event: HttpEvent, route: Route, snapshot: Snapshot, tokens: Tokens): Promise<Principal> {
  const { identity } = snapshot.configuration;
  if (route.surface === 'admin') requireConfiguredAdmin(snapshot.identities, identity);
  const signer = event.requestContext?.identity?.userArn;
  if (signer) return ofAws(event, signer, snapshot);
  return authenticateCaller(
    credentialHeaders(event),
    snapshot,
    tokens,
    route.surface === 'mcp' ? identity.mcp_resource : undefined,
  );
}

/**
 * Returns the caller of a request that passed the IAM authoriser. Only API Gateway can set the ARN. `Authorization`
 * contains the signature, so it does not count as a second credential.
 */
async function ofAws(event: HttpEvent, signer: string, { configuration }: Snapshot): Promise<Principal> {
  if (headerValues(event, 'x-api-key').length > 0)
    throw new GatewayError(
      'authentication_error',
      'Not authenticated: the request is signed and also carries a key; send only one of them.',
    );
  const { awsPrincipal } = await import('#core/configuration/identity/federation/aws-caller.ts');
  return awsPrincipal(signer, configuration);
}

function authorizeInTenant(event: HttpEvent, route: Route, principal: Principal, snapshot: Snapshot): Principal {
  authorize(route, principal);
  const acting = inTenant(event, principal, snapshot);
  // A grant in the other tenant may have a lower role than the key has in its own tenant.
  if (acting.role !== principal.role) authorize(route, acting);
  return acting;
}

/**
 * Returns the caller in the tenant named in `X-Tenant-ID`, if it may act there. The admin token may act in every
 * tenant.
 */
function inTenant(event: HttpEvent, principal: Principal, snapshot: Snapshot): Principal {
  const wanted = headerOf(event, 'x-tenant-id');
  if (wanted === undefined || wanted === principal.tenant) return principal;
  if (!principal.tenants.includes('*') && !principal.tenants.includes(wanted)) {
    throw new GatewayError(
      'forbidden',
      `X-Tenant-ID names a different tenant than this key's (${principal.tenant}). Leave the header out, or use a key of that tenant.`,
    );
  }
  if (!snapshot.configuration.tenants.some(({ id }) => id === wanted)) {
    throw invalidRequest(
      `X-Tenant-ID is ${JSON.stringify(wanted.slice(0, 64))}, which is not a tenant of the configuration; GET /admin/v1/tenants lists them.`,
    );
  }
  return actingIn(principal, wanted);
}
