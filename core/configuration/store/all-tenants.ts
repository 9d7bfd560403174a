/** Lists tenants of the configuration and of rows, for work that goes over all of them [tenants.rows]. */
import type { TenantRows } from '../ports.ts';
import type { Snapshots } from './snapshots.ts';

interface Needs {
  readonly configStore: Pick<TenantRows, 'tenantRow' | 'tenantRowIds'>;
  readonly snapshots: Pick<Snapshots, 'current'>;
}

const idsPerPage = 1_000;

/** Yields the ids: first those of the configuration, then those of rows page by page, with removed ones. */
export async function* allTenants({ configStore, snapshots }: Needs): AsyncGenerator<string, void> {
  const { tenants } = (await snapshots.current({ evenStale: true })).configuration;
  const configured = new Set(tenants.map(({ id }) => id));
  yield* configured;
  for (let last: string | undefined; ; ) {
    const ids = await configStore.tenantRowIds(last, idsPerPage);
    for (const id of ids) if (!configured.has(id)) yield id;
    if (ids.length < idsPerPage) return;
    last = ids.at(-1);
  }
}

/** Returns the tenant after one in that order, with one read at most; the first one without `after`. */
export async function tenantAfter(
  { configStore }: Pick<Needs, 'configStore'>,
  configured: readonly string[],
  after: string | undefined,
): Promise<string | undefined> {
  const at = after === undefined ? -1 : configured.indexOf(after);
  if (at + 1 < configured.length && (after === undefined || at >= 0)) return configured[at + 1];
  // A row may have the id of a tenant that was configured later.
  for (let last = at < 0 ? after : undefined; ; ) {
    const ids = await configStore.tenantRowIds(last, configured.length + 1);
    const next = ids.find((id) => !configured.includes(id));
    if (next !== undefined || ids.length === 0) return next;
    last = ids.at(-1);
  }
}

/** Checks for a tenant of the configuration or of a row, also a removed one. */
export const isTenant = async (
  { configStore }: Pick<Needs, 'configStore'>,
  configured: readonly string[],
  id: string,
): Promise<boolean> => configured.includes(id) || (await configStore.tenantRow(id)) !== undefined;
