/**
 * Policy versions. Rows of the table, all by `id`: `version#<n>` — one version row, never deleted, because evidence
 * cites it; `current` — the pointer, a copy of the active row; `imported` — the digest of the last imported file;
 * `bindings` — the allowed uses of each secret; `federation` — a data plane's settings from its control plane;
 * `admin-token` — the digest of the platform administrator's token; `tenant#<id>` and `key#<key id>` — see
 * `tenant-rows.ts`. The pointer also holds the digests of keys stored in secrets, so that authenticating a caller
 * requires no secret read. Access patterns: the active row (the pointer: one read, no second hop); one version (and the
 * pointer to check whether it is among the last 20); the last 20 (by known numbers, which have no gaps); advance (one
 * transaction).
 */

import {
  type ConfigRows,
  type FederationState,
  type HeldBindings,
  noKeys,
  type StoredKeyDigests,
  type VersionCompanions,
  type VersionRow,
} from '#core/configuration/ports.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import {
  type IndexAttributes,
  ifUnchanged,
  type Key,
  type Row,
  type Store,
  StoreFault,
  type StoreOptions,
  type StoreTable,
  type Write,
} from './store.ts';

const keptVersions = 20;

const pointerId = 'current';
const importedId = 'imported';
const bindingsId = 'bindings';
const adminTokenId = 'admin-token';
const federationId = 'federation';
const versionId = (version: number) => `version#${version}`;

type StoredVersion = VersionRow & IndexAttributes<'id' | 'keys_revision'> & { readonly keys?: string };

const toRow = ({ id: _id, keys: _keys, keys_revision: _revision, ...row }: StoredVersion): VersionRow => row;

/** Parses the digests, which are stored as JSON because secret names are not valid attribute names. */
const toKeys = ({ keys }: StoredVersion): StoredKeyDigests =>
  keys === undefined ? noKeys : (JSON.parse(keys) as StoredKeyDigests);

/** A row from another table that is read together with the pointer, in one round trip. */
export interface PointerCompanion {
  readonly table: StoreTable;
  readonly key: Key;
  take(row: Row | undefined): void;
}

/**
 * Returns the writes that advance the active version. The pointer's condition puts all writers in order; the row's own
 * condition prevents a number from being used for two versions.
 */
function advance(row: VersionRow, { importedSha256, bindings, keys }: VersionCompanions = {}): Write[] {
  const expected = row.version - 1;
  const digests = keys && { keys: JSON.stringify(keys), keys_revision: keys.revision };
  return [
    { put: 'config', row: { id: versionId(row.version), ...row }, if: { absent: 'id' } },
    {
      put: 'config',
      row: { id: pointerId, ...row, ...digests },
      if: expected === 0 ? { absent: 'id' } : { equals: ['version', expected] },
    },
    ...(importedSha256 === undefined
      ? []
      : [{ put: 'config', row: { id: importedId, sha256: importedSha256 } } as const]),
    ...(bindings === undefined ? [] : [bindingsPut(bindings)]),
  ];
}

/** Stores bindings as JSON, because secret names are not valid attribute names. */
const bindingsPut = ({ revision, names }: HeldBindings): Write => ({
  put: 'config',
  row: { id: bindingsId, revision, names: JSON.stringify(names) },
  if: ifUnchanged(revision === 1 ? undefined : { revision: revision - 1 }),
});

/** Puts the digest of the platform administrator's token. `replaceKeys` changes the active row. */
export async function putAdminToken({ store }: StoreOptions, digest: string): Promise<void> {
  await store.put('config', { id: adminTokenId, sha256: digest });
}

/** Reads both rows. Returns undefined if that fails, in which case only the pointer is read. */
async function readTogether(
  store: Store,
  beside: PointerCompanion,
): Promise<{ pointer: StoredVersion | undefined } | undefined> {
  try {
    const reads = [['config', { id: pointerId }] as const, [beside.table, beside.key] as const];
    const [pointer, other] = await store.getMany(reads, { once: true });
    beside.take(other);
    return { pointer: pointer as StoredVersion | undefined };
  } catch {
    return undefined;
  }
}

/** @param beside a row that is read whenever the pointer is. The configuration is read even if this read fails. */
export function configTable(options: StoreOptions, beside?: PointerCompanion): ConfigRows {
  const { store } = options;
  const read = <R extends object>(id: string): Promise<R | undefined> => store.get<R>('config', { id });

  const version = async (id: string): Promise<VersionRow | undefined> => {
    const row = await read<StoredVersion>(id);
    return row && toRow(row);
  };
  const current = () => version(pointerId);
  const ever = (number: number) => version(versionId(number));

  // Not loaded by deployments that store no tenants or keys as rows.
  const rows = lazyImport(async () => (await import('./tenant-rows.ts')).tenantRows(options));

  return {
    tenantRow: async (id) => (await rows()).tenantRow(id),
    keyRow: async (keyId) => (await rows()).keyRow(keyId),
    tenantRows: async (page) => (await rows()).tenantRows(page),
    keyRows: async (tenant, page) => (await rows()).keyRows(tenant, page),
    tenantRowIds: async (after, limit) => (await rows()).tenantRowIds(after, limit),
    current,

    async inForce() {
      const together = beside && (await readTogether(store, beside));
      const row = together ? together.pointer : await read<StoredVersion>(pointerId);
      return row && { row: toRow(row), keys: toKeys(row) };
    },

    async replaceKeys(inForce, keys) {
      const set = { keys: JSON.stringify(keys), keys_revision: keys.revision };
      const { written } = await store.update(
        'config',
        { id: pointerId },
        { set },
        {
          if: {
            all: [
              { equals: ['version', inForce] },
              keys.revision === 1 ? { absent: 'keys_revision' } : { equals: ['keys_revision', keys.revision - 1] },
            ],
          },
        },
      );
      return written;
    },

    adminTokenSha256: async () => (await read<{ sha256: string }>(adminTokenId))?.sha256,

    async get(number) {
      const [row, newest] = await Promise.all([ever(number), current()]);
      return newest && number > newest.version - keptVersions ? row : undefined;
    },

    ever,

    async list() {
      const newest = await current();
      if (!newest) return [];
      const count = Math.min(newest.version, keptVersions);
      const keys = Array.from({ length: count }, (_, back) => ({ id: versionId(newest.version - back) }));
      const rows = await store.getMany<StoredVersion>(keys.map((key) => ['config', key] as const));
      return rows.filter((row) => row !== undefined).map(toRow);
    },

    lastImported: async () => (await read<{ sha256: string }>(importedId))?.sha256,

    async federation() {
      const row = await read<{ state: string }>(federationId);
      return row && (JSON.parse(row.state) as FederationState);
    },

    async putFederation(state, before) {
      const row = { id: federationId, state: JSON.stringify(state), revision: state.revision };
      return (await store.put('config', row, { if: ifUnchanged(before) })).written;
    },

    async bindings() {
      const row = await read<{ revision: number; names: string }>(bindingsId);
      if (!row) return { revision: 0, names: {} };
      return { revision: row.revision, names: JSON.parse(row.names) as HeldBindings['names'] };
    },

    async advance(row, companions) {
      const outcome = await store.transact(advance(row, companions));
      if (outcome === 'written') return true;
      // Another writer was first or is currently writing. Either way the caller rereads the pointer.
      if (outcome.reasons.some(({ code }) => code === 'condition' || code === 'busy')) return false;
      throw new StoreFault(new Error('The transaction was cancelled.'));
    },
  };
}
