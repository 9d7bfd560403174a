/**
 * Adds a caller's rows to a snapshot: its key and its tenants, unless they are in the configuration [tenants.rows].
 * Rows are at most five seconds old. If a row cannot be read, its caller is refused: unlike the configuration, rows are
 * not used for longer while the store is down.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Identities, identityOf, keyIdOf, type ResolvedKey } from '#core/configuration/identity/identities.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { KeyRow, TenantRow } from '#core/contracts/tenant-rows.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { TenantRows } from '../ports.ts';
import { type ActiveConfiguration, isConfigured, keyToRead, type RowSelection, tenantToRead } from './needs-rows.ts';

/** Cache time, one second less than promised because a read takes time. */
const freshMs = 4_000;
/**
 * Maximum numbers of rows and views that a process caches, however many exist. Results that a row does not exist count
 * as rows.
 */
const cacheLimits = { rows: 5_000, views: 500 };

/** Returns the views for a store. */
export function rowViews({ rows, clock }: { readonly rows: TenantRows; readonly clock: Clock }) {
  const tenants = recentRows((id) => rows.tenantRow(id), clock);
  const keys = recentRows((id) => rows.keyRow(id), clock);
  const active = async (snapshot: ActiveConfiguration, named: string | undefined): Promise<TenantRow | undefined> => {
    const id = tenantToRead(snapshot, named);
    const row = id === undefined ? undefined : await tenants(id);
    return row?.removed_at === undefined ? row : undefined;
  };

  return {
    /**
     * Returns the snapshot with the rows. It is the same snapshot if no rows are needed, and the same view until
     * something changes.
     * @throws GatewayError `service_unavailable` if a row cannot be read.
     */
    async of<S extends ActiveConfiguration>(snapshot: S, who: RowSelection): Promise<S> {
      const id = keyToRead(snapshot, who);
      const key = id === undefined ? undefined : await keys(id);
      const [named, own] = await Promise.all([active(snapshot, who.tenant), active(snapshot, key?.tenant)]);
      const withRows = [named, own].filter((row) => row !== undefined);
      return viewOf(snapshot, [...new Set(withRows)], key);
    },
  };
}

/** Returns a function that reads rows and briefly caches them, including the result that a row does not exist. */
function recentRows<R extends object>(read: (id: string) => Promise<R | undefined>, clock: Clock) {
  const known = new RecentMap<string, { readonly at: number; readonly row: Promise<R | undefined> }>({
    max: cacheLimits.rows,
  });
  return (id: string): Promise<R | undefined> => {
    const before = known.get(id);
    const now = clock.now();
    if (before && now >= before.at && now - before.at < freshMs) return before.row;
    const row = read(id).then(async (found) => {
      // The same object is returned while nothing changes, so that data derived from it stays cached.
      const last = await before?.row.catch(() => undefined);
      return isDeepStrictEqual(found, last) ? last : found;
    });
    const entry = { at: now, row };
    known.set(id, entry);
    row.catch(() => {
      if (known.get(id) === entry) known.delete(id);
    });
    return row;
  };
}

const configurationsOf = remembered(
  (_: ActiveConfiguration) => new RecentMap<string, TenantsAndRows>({ max: cacheLimits.views }),
);
const viewsOf = remembered((_: ActiveConfiguration) => new RecentMap<string, View>({ max: cacheLimits.views }));

interface TenantsAndRows {
  readonly rows: readonly TenantRow[];
  readonly configuration: Configuration;
}

interface View {
  readonly configuration: Configuration;
  readonly key: KeyRow | undefined;
  readonly snapshot: ActiveConfiguration;
}

/** Returns the view, which comes from the cache if its rows are unchanged. */
function viewOf<S extends ActiveConfiguration>(snapshot: S, rows: readonly TenantRow[], key: KeyRow | undefined): S {
  const configuration = withTenants(snapshot, rows);
  const accepted = key && isAccepted(configuration, key) ? key : undefined;
  if (configuration === snapshot.configuration && !accepted) return snapshot;
  const name = [...rows.map(({ id }) => id), accepted?.key_sha256].join(' ');
  const before = viewsOf(snapshot).get(name);
  if (before?.configuration === configuration && before.key === accepted) return before.snapshot as S;
  const identities = accepted ? withKey(snapshot, accepted) : snapshot.identities;
  const view = { ...snapshot, configuration, identities };
  viewsOf(snapshot).set(name, { configuration, key: accepted, snapshot: view });
  return view;
}

/** Returns the configuration with the tenants added, which the views of the tenants' keys share. */
function withTenants(snapshot: ActiveConfiguration, rows: readonly TenantRow[]): Configuration {
  if (rows.length === 0) return snapshot.configuration;
  const name = rows.map(({ id }) => id).join(' ');
  const before = configurationsOf(snapshot).get(name);
  if (before && rows.every((row, at) => row === before.rows[at])) return before.configuration;
  const added = rows.map(({ id, settings }) => ({ ...settings, id, api_keys: [] }));
  const configuration = { ...snapshot.configuration, tenants: [...snapshot.configuration.tenants, ...added] };
  configurationsOf(snapshot).set(name, { rows, configuration });
  return configuration;
}

/**
 * Checks that a key is in force: it is not revoked, has a tenant, and names only people who are still in the
 * configuration.
 */
function isAccepted(configuration: Configuration, { revoked_at, tenant, settings }: KeyRow): boolean {
  const { person, owner } = settings;
  const isKnown = (id: string | undefined) => id === undefined || configuration.people.some((one) => one.id === id);
  return revoked_at === undefined && isConfigured(configuration, tenant) && isKnown(person) && isKnown(owner);
}

/** Returns the identities with one key added. */
function withKey(
  { identities, configuration }: ActiveConfiguration,
  { key_sha256, tenant, settings }: KeyRow,
): Identities {
  const key: ResolvedKey = { ...settings, key_sha256, tenant };
  const { principal, limits } = identityOf(key, configuration);
  const id = keyIdOf(key_sha256);
  return {
    ...identities,
    byDigest: plus(identities.byDigest, key_sha256, { key_sha256, principal }),
    byKeyId: plus(identities.byKeyId, id, principal),
    limits: limits ? plus(identities.limits, id, limits) : identities.limits,
  };
}

/** Returns a map with one entry added, without copying the others. */
function plus<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  function* each<T>(take: (entry: [K, V]) => T): Generator<T, undefined> {
    for (const entry of map) yield take(entry);
    yield take([key, value]);
    return undefined;
  }
  const entries = () => each((entry) => entry);
  return {
    size: map.size + 1,
    get: (wanted) => (wanted === key ? value : map.get(wanted)),
    has: (wanted) => wanted === key || map.has(wanted),
    entries,
    [Symbol.iterator]: entries,
    keys: () => each(([its]) => its),
    values: () => each(([, its]) => its),
    forEach(take) {
      for (const [name, its] of entries()) take(its, name, this);
    },
  };
}
