/** Lists that span the tenants below an organisation path, instead of only the caller's tenant [admin.by-path]. */

import { actingIn } from '#core/configuration/identity/grants.ts';
import { environmentsOf } from '#core/configuration/identity/organization.ts';
import { includesRole, type Role } from '#core/contracts/route.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Page } from '#core/kernel/page.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import type { Call } from './operation.ts';

/**
 * Returns one page of items from a single tenant, and a cursor that continues into the next tenant. Without `path`,
 * uses the caller's tenant.
 * @param needed role required in each tenant; other tenants are omitted.
 * @throws GatewayError `invalid_request` for a malformed path or a cursor from another list.
 */
export async function pageByPath<T>(
  call: Pick<Call, 'snapshot' | 'principal' | 'query'>,
  needed: Role,
  read: (tenant: string, cursor: string | undefined) => Promise<Page<T>>,
): Promise<Page<T>> {
  const { path, cursor } = call.query;
  if (path === undefined) return read(call.principal.tenant, cursor);
  const tenants = tenantsUnder(call, path, needed);
  const begun = cursor === undefined ? undefined : cursorIn(cursor);
  const first = begun === undefined ? 0 : tenants.indexOf(begun.tenant);
  if (first < 0) throw unknownCursor();
  for (let at = first; at < tenants.length; at++) {
    const page = await read(tenants[at]!, at === first ? begun?.within : undefined);
    if (page.items.length === 0 && page.cursor === undefined) continue;
    if (page.cursor !== undefined) return { items: page.items, cursor: cursorOf(tenants[at]!, page.cursor) };
    const next = tenants[at + 1];
    return { items: page.items, ...(next !== undefined && { cursor: cursorOf(next) }) };
  }
  return { items: [] };
}

/** Maximum number of tenants summed up in one response, because each of them costs reads. */
const maxTenants = 200;

/**
 * Returns the tenants to add up: those below `path`, or the caller's own if there is no path.
 * @throws GatewayError `invalid_request` if the path is malformed or has too many tenants.
 */
export function tenantsOf(call: Pick<Call, 'snapshot' | 'principal' | 'query'>, most = maxTenants): string[] {
  const { path } = call.query;
  if (path === undefined) return [call.principal.tenant];
  const tenants = tenantsUnder(call, path, 'viewer');
  if (tenants.length <= most) return tenants;
  throw invalidRequest(
    `path names ${tenants.length} tenants; this request allows at most ${most}. Name a lower level.`,
  );
}

/** Returns what a response covers: the caller's tenant, or the path and its tenants. */
export const subjectOf = ({ principal, query }: Pick<Call, 'principal' | 'query'>, tenants: readonly string[]) =>
  query.path === undefined ? { tenant: principal.tenant } : { path: query.path, tenants };

/** Returns the tenants at or below the path in which the caller has the role. An agent is limited to its own tenant. */
function tenantsUnder(
  { snapshot, principal }: Pick<Call, 'snapshot' | 'principal'>,
  path: string,
  needed: Role,
): string[] {
  const everywhere = principal.tenants.includes('*');
  return environmentsOf(snapshot.configuration)
    .filter((place) => globMatches(path, place.path) || place.path.startsWith(`${path}/`))
    .map(({ environment }) => environment.tenant)
    .filter((tenant) =>
      principal.kind === 'agent'
        ? tenant === principal.tenant
        : (everywhere || principal.tenants.includes(tenant)) && includesRole(actingIn(principal, tenant).role, needed),
    );
}

const cursorOf = (tenant: string, within?: string): string =>
  Buffer.from(JSON.stringify({ tenant, within })).toString('base64url');

function cursorIn(text: string): { readonly tenant: string; readonly within: string | undefined } {
  try {
    const { tenant, within } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<string, unknown>;
    if (typeof tenant === 'string') return { tenant, within: typeof within === 'string' ? within : undefined };
  } catch {
    // Not JSON: rejected below.
  }
  throw unknownCursor();
}

const unknownCursor = () => invalidRequest('The cursor was not issued for this path. Repeat the request without it.');
