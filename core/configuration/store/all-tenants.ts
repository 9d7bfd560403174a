/** Lists all tenants, both configured and stored as rows, for work that covers every tenant [tenants.rows]. */
import type { TenantRows } from '../ports.ts';
import type { Snapshots } from './snapshots.ts';

interface Needs {
  readonly configStore: Pick<TenantRows, 'tenantRow' | 'tenantRowIds'>;
  readonly snapshots: Pick<Snapshots, 'current'>;
}

const idsPerPage = 1_000;

/** Yields the ids: first those in the configuration, then those of rows, page by page and including removed ones. */
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

/** Returns the next tenant in that order with at most one read, or the first one if `after` is absent. */
export async function tenantAfter(
  { configStore }: Pick<Needs, 'configStore'>,
  configured: readonly string[],
  after: string | undefined,
): Promise<string | undefined> {
  const at = after === undefined ? -1 : configured.indexOf(after);
  if (at + 1 < configured.length && (after === undefined || at >= 0)) return configured[at + 1];
  // A row may have the same id as a tenant that was configured later.
  for (let last = at < 0 ? after : undefined; ; ) {
    const ids = await configStore.tenantRowIds(last, configured.length + 1);
    const next = ids.find((id) => !configured.includes(id));
    if (next !== undefined || ids.length === 0) return next;
    last = ids.at(-1);
  }
}

/** Checks whether a tenant exists in the configuration or as a row, including removed rows. */
export const isTenant = async (
  { configStore }: Pick<Needs, 'configStore'>,
  configured: readonly string[],
  id: string,
): Promise<boolean> => configured.includes(id) || (await configStore.tenantRow(id)) !== undefined;
