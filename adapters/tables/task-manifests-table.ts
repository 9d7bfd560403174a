/**
 * Task manifests. All manifests that bind a session or key are in one row, so that a call needs only one read in
 * addition to its session's head. A removed manifest is marked, because the roles may not delete rows. Access patterns:
 * one manifest; a tenant's manifests (index by_created, newest first); the manifests of a session and of a key, and a
 * named one (together); create and remove (transactions over the row and its attachments).
 */

import type { TaskManifest } from '#core/contracts/task-manifest.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { AttachedManifests, TaskManifests } from '#core/session/tasks/ports.ts';
import { fromCursor, toCursor } from './cursors.ts';
import { type Key, type Row, StoreFault, type StoreOptions, type TransactionCancelled, type Write } from './store.ts';

/** Maximum number of manifests that bind one session or key at a time; each is read with every call. */
const maxAttached = 8;
/** Time for which a row is kept after the last manifest was attached: longer than any manifest's lifetime. */
const keptSeconds = 120 * 24 * 3600;

const taskManifestKey = (tenant: string, id: string): Key => ({ tenant, id: `task#${id}` });
const boundKey = (tenant: string, what: 'session' | 'key', name: string): Key => ({ tenant, id: `${what}#${name}` });

/**
 * Returns an attachment's attribute name. It contains a `#`, so a manifest never collides with one of the table's keys.
 */
const slot = (id: string): string => `at#${id}`;

const boundTo = ({ tenant, sessions = [], key_id }: TaskManifest): Key[] => [
  ...[...new Set(sessions)].map((session) => boundKey(tenant, 'session', session)),
  ...(key_id === undefined ? [] : [boundKey(tenant, 'key', key_id)]),
];

const toManifest = (row: Row): TaskManifest => JSON.parse(String(row.manifest));
const isRemoved = (row: Row): boolean => row.deleted_at !== undefined;

const manifestsOf = (row: Row | undefined): TaskManifest[] =>
  Object.entries(row ?? {}).flatMap(([name, value]) =>
    name.startsWith('at#') && typeof value === 'string' ? [JSON.parse(value) as TaskManifest] : [],
  );

/** Returns the writes for the row and its attachments, to be applied all or nothing. */
function createWrites(manifest: TaskManifest): Write[] {
  const text = JSON.stringify(manifest);
  const ttl = Math.floor(Date.parse(manifest.created_at) / 1000) + keptSeconds;
  return [
    {
      put: 'manifests',
      row: {
        ...taskManifestKey(manifest.tenant, manifest.id),
        created: `${manifest.created_at}#${manifest.id}`,
        manifest: text,
        ttl,
      },
      // A removed manifest may be declared again.
      if: { any: [{ absent: 'tenant' }, { present: 'deleted_at' }] },
      current: true,
    },
    ...boundTo(manifest).map(
      (key): Write => ({
        update: 'manifests',
        key,
        change: { set: { [slot(manifest.id)]: text, ttl }, add: { bound: 1 } },
        if: { any: [{ absent: 'bound' }, { below: ['bound', maxAttached] }] },
      }),
    ),
  ];
}

/** Returns the writes that mark the row and remove the attachments. */
function removeWrites(manifest: TaskManifest, deletedAt: string): Write[] {
  return [
    {
      update: 'manifests',
      key: taskManifestKey(manifest.tenant, manifest.id),
      change: { set: { deleted_at: deletedAt }, remove: ['created'] },
      if: { all: [{ present: 'tenant' }, { absent: 'deleted_at' }] },
    },
    ...boundTo(manifest).map(
      (key): Write => ({
        update: 'manifests',
        key,
        change: { remove: [slot(manifest.id)], add: { bound: -1 } },
        if: { present: slot(manifest.id) },
      }),
    ),
  ];
}

/** @throws StoreFault unless the cause was a condition that was not met */
function assertRefused({ reasons }: TransactionCancelled): void {
  if (!reasons.some(({ code }) => code === 'condition'))
    throw new StoreFault(new Error('The transaction was cancelled.'));
}

export function manifestsTable({ store }: StoreOptions): TaskManifests {
  const read = (key: Key) => store.get('manifests', key, { together: true });

  async function get(tenant: string, id: string): Promise<TaskManifest | undefined> {
    const row = await store.get('manifests', taskManifestKey(tenant, id));
    return row && !isRemoved(row) ? toManifest(row) : undefined;
  }

  return {
    get,

    async create(manifest) {
      const outcome = await store.transact(createWrites(manifest));
      if (outcome === 'written') return manifest;
      assertRefused(outcome);
      const [first] = outcome.reasons;
      if (first?.row) return toManifest(first.row);
      throw new GatewayError(
        'conflict',
        `A session or key of manifest ${manifest.id} is already bound by ${maxAttached} manifests; delete one first.`,
      );
    },

    async list(tenant, { limit, cursor }) {
      const start = fromCursor(cursor, ['tenant', 'created', 'id']);
      const page = await store.query('manifests', {
        index: 'by_created',
        partition: tenant,
        order: 'descending',
        limit,
        // A cursor only sets the position; the caller never chooses the tenant.
        after: start && { ...start, tenant },
      });
      const next = toCursor(page.next);
      return { items: page.rows.map(toManifest), ...(next && { cursor: next }) };
    },

    async attached(tenant, { session, key_id, named }): Promise<AttachedManifests> {
      const [ofSession, ofKey, ofCall] = await Promise.all([
        read(boundKey(tenant, 'session', session)),
        read(boundKey(tenant, 'key', key_id)),
        named === undefined ? undefined : read(taskManifestKey(tenant, named)),
      ]);
      const call = ofCall && !isRemoved(ofCall) ? [toManifest(ofCall)] : [];
      // A manifest that names both binds that key only in that session.
      const bound = [...manifestsOf(ofSession), ...manifestsOf(ofKey)].filter(
        ({ sessions, key_id: key }) => (sessions?.includes(session) ?? true) && (key ?? key_id) === key_id,
      );
      const manifests = [...new Map([...bound, ...call].map((each) => [each.id, each])).values()];
      return { manifests, ...(named !== undefined && call.length === 0 && { unknown: named }) };
    },

    async remove(tenant, id, deletedAt) {
      const manifest = await get(tenant, id);
      if (!manifest) return false;
      const outcome = await store.transact(removeWrites(manifest, deletedAt));
      if (outcome !== 'written') assertRefused(outcome);
      return outcome === 'written';
    },
  };
}
