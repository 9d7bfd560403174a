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

/** Checks for a tenant of the configuration or of a row, also a removed one. */
export const isTenant = async (
  { configStore }: Pick<Needs, 'configStore'>,
  configured: readonly string[],
  id: string,
): Promise<boolean> => configured.includes(id) || (await configStore.tenantRow(id)) !== undefined;
