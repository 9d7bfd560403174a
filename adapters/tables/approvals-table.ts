/**
 * Approvals: one row per request, and one pointer per call digest to its newest request. Access patterns: a row by id;
 * the newest request for a call (through the pointer); a tenant's rows in a given state (index by_status, then the
 * rows); due rows (index by_due per shard, then the rows). Rows change only inside `Ledger.commit`, except for the
 * clock's own attributes.
 */

import type { ApprovalStore } from '#core/approvals/ports.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { dueKey, keyIdOf, pointerId, statusKey, toRow } from './approval-items.ts';
import { dueList } from './due-rows.ts';
import { cursorAt, inOrder, placeAt } from './in-order.ts';
import { rowsByKey } from './rows-by-key.ts';
import type { Change, Condition, Row, StoreOptions } from './store.ts';

/** Maximum number of keys scanned for one page of a requester's rows before a cursor is returned. */
const maxScanned = 5_000;
/** Number of due rows per read. */
const groupSize = 100;

/** Returns a row's approval. If the row's text is not JSON, reports its id and returns undefined. */
function readableRow(row: Row, unreadable: (id: string) => void = () => {}): ApprovalRow[] {
  try {
    return [toRow(row)];
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
    unreadable(String(row.id));
    return [];
  }
}

export function approvalsTable({ store }: StoreOptions): ApprovalStore {
  const dueApprovals = dueList({ store, table: 'approvals', sortKey: 'due' });
  const read = (id: string): Promise<Row | undefined> => store.get('approvals', { id });

  /** Queries one partition, because the votes cast by a tenant's people stay far below one partition's capacity. */
  const ofStatus = (tenant: string, status: ApprovalStatus) =>
    ({
      store,
      table: 'approvals',
      index: 'by_status',
      sortKey: 'queued',
      partitions: [statusKey(tenant, status)],
      order: status === 'pending' ? 'ascending' : 'descending',
    }) as const;

  /** Changes the row, unless its status differs or the condition is not met. */
  const ifStill = async (id: string, status: ApprovalStatus, change: Change, also?: Condition): Promise<void> => {
    const unchanged: Condition = { equals: ['status', status] };
    await store.update('approvals', { id }, change, { if: also ? { all: [unchanged, also] } : unchanged });
  };

  const approvals: ApprovalStore = {
    async find(envelopeId) {
      const row = await read(envelopeId);
      return row && toRow(row);
    },

    async get(tenant, envelopeId) {
      const row = await approvals.find(envelopeId);
      return row?.tenant === tenant ? row : undefined;
    },

    async byCall(tenant, callDigest) {
      const pointer = await read(pointerId(tenant, callDigest));
      return pointer && String(pointer.envelope_id);
    },

    async list(tenant, status, { limit, cursor, keyId }) {
      const keys: Row[] = [];
      let cursorAfter: string | undefined;
      let looked = 0;
      let place = '';
      for await (const { id, queued } of inOrder({
        ...ofStatus(tenant, status),
        after: placeAt(cursor),
        about: limit + 1,
      })) {
        if (keys.length === limit || looked === maxScanned) {
          cursorAfter = cursorAt(place);
          break;
        }
        looked++;
        place = String(queued);
        if (keyId === undefined || keyIdOf(place) === keyId) keys.push({ id });
      }
      const unreadable: string[] = [];
      const found = await rowsByKey(store, 'approvals', keys);
      const rows = found.flatMap((row) => readableRow(row, (id) => void unreadable.push(id)));
      // The index lags, so a row that has changed state belongs in a different list.
      const items = rows.filter((row) => row.status === status);
      return {
        items,
        ...(unreadable.length > 0 && { unreadable }),
        ...(cursorAfter !== undefined && { cursor: cursorAfter }),
      };
    },

    async pendingKeys(tenant, most) {
      const found: string[] = [];
      for await (const { queued } of inOrder({ ...ofStatus(tenant, 'pending'), about: most })) {
        found.push(keyIdOf(String(queued)));
        if (found.length === most) break;
      }
      return found;
    },

    async holdToken(envelopeId, taskToken) {
      const change = { set: { task_token: taskToken, clock_started: true } };
      const isPending: Condition = { equals: ['status', 'pending'] };
      const { written, row } = await store.update('approvals', { id: envelopeId }, change, {
        if: isPending,
        after: true,
      });
      if (written) return toRow(row ?? {});
      const found = await approvals.find(envelopeId);
      if (!found) throw notFound(things.approval, envelopeId);
      return found;
    },

    /** Records that the clock is running. A request that was settled in the meantime needs no clock. */
    async clockStarted({ envelope_id, queued_at, expires_at }) {
      const set = { clock_started: true, due: dueKey(expires_at, 'pending', queued_at) };
      const isPending: Condition = { equals: ['status', 'pending'] };
      const { written, row } = await store.update(
        'approvals',
        { id: envelope_id },
        { set },
        { if: isPending, current: true },
      );
      if (!written && !row) throw notFound(things.approval, envelope_id);
    },

    async *due(now) {
      let group: Row[] = [];
      const rows = () => rowsByKey(store, 'approvals', group);
      const keys = inOrder({ ...dueApprovals, to: `${now}#~`, about: groupSize });
      for await (const { id } of keys) {
        group.push({ id });
        if (group.length < groupSize) continue;
        for (const row of await rows()) yield* readableRow(row);
        group = [];
      }
      for (const row of await rows()) yield* readableRow(row);
    },

    async waiting() {
      const since: string[] = [];
      for await (const { due } of inOrder({ ...dueApprovals, about: 1_000 })) {
        const [, status, queued] = String(due).split('#');
        if (status === 'pending' && queued !== undefined) since.push(queued);
      }
      const oldest = since.reduce<string | undefined>((a, b) => (a !== undefined && a < b ? a : b), undefined);
      return { pending: since.length, ...(oldest !== undefined && { oldest }) };
    },

    postpone: ({ envelope_id, status, queued_at }, until) =>
      ifStill(envelope_id, status, { set: { due: dueKey(until, status, queued_at) } }, { present: 'due' }),

    noteCaller: (envelopeId, goneAt) =>
      ifStill(
        envelopeId,
        'pending',
        goneAt === undefined ? { remove: ['caller_gone_at'] } : { set: { caller_gone_at: goneAt } },
      ),

    renewLease: ({ approval, owner }, until) =>
      ifStill(
        approval,
        'executing',
        { set: { lease_expires_at: until, due: dueKey(until, 'executing') } },
        { equals: ['lease_owner', owner] },
      ),

    releaseToken: ({ envelope_id, status }, dueAt) =>
      ifStill(
        envelope_id,
        status,
        dueAt === undefined
          ? { remove: ['task_token', 'due'] }
          : { set: { due: dueKey(dueAt, status) }, remove: ['task_token'] },
      ),

    noteRestarted: ({ envelope_id, status }) =>
      ifStill(envelope_id, status, { set: { restarted: true }, remove: ['task_token', 'due'] }),
  };
  return approvals;
}
