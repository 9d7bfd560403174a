/**
 * Started actions: rows exist from the `allow` entry to the `result` entry, or longer under an idempotency key. Access
 * patterns: one row; overdue rows (index by_due per shard, which omits ended actions, then the rows). Rows change only
 * inside `Ledger.commit`.
 */
import type { StartedActions } from '#core/actions/ports.ts';
import { idempotencyDays, type StartedAction } from '#core/contracts/started-action.ts';
import type { Change } from '#core/evidence/ports.ts';
import { dueIn, dueRows } from './due-rows.ts';
import type { IndexAttributes, Row, StoreOptions, Write } from './store.ts';

const dayS = 24 * 3600;
/** Lifetime of an open row. The row of an approval used under an idempotency key ends long before that. */
const openSeconds = 30 * dayS;

const actionKey = (tenant: string, id: string): string => `${tenant}#${id}`;
const afterSeconds = (from: string, seconds: number): number => Math.floor(Date.parse(from) / 1000) + seconds;

export function actionStart(row: StartedAction): Write {
  const key = actionKey(row.tenant, row.id);
  const open = row.due_at === undefined ? { ttl: afterSeconds(row.started_at, openSeconds) } : { due_in: dueIn(key) };
  return {
    put: 'actions',
    row: { ...row, id: key, ...open },
    if: { any: [{ absent: 'id' }, { equals: ['outcome', 'not_executed'] }] },
    current: true,
  };
}

/** @param at time when the `result` entry was written (ISO time) */
export function actionEnd(
  { tenant, id, envelope_id, end }: Extract<Change, { type: 'action.end' }>,
  at: string,
): Write {
  const kept = id === envelope_id ? 3600 : idempotencyDays * dayS;
  return {
    update: 'actions',
    key: { id: actionKey(tenant, id) },
    change: { set: { ...end, ttl: afterSeconds(at, kept) }, remove: ['due_in', 'due_at'] },
    if: { all: [{ equals: ['envelope_id', envelope_id] }, { absent: 'outcome' }] },
    current: true,
  };
}

export function toStartedAction(stored: Row): StartedAction {
  const { ttl: _ttl, due_in: _in, ...row } = stored as unknown as StartedAction & IndexAttributes<'ttl' | 'due_in'>;
  return { ...row, id: row.id.slice(row.tenant.length + 1) };
}

export function actionsTable({ store }: StoreOptions): StartedActions {
  return {
    async get(tenant, id) {
      const row = await store.get('actions', { id: actionKey(tenant, id) });
      return row && toStartedAction(row);
    },

    async due(now, limit) {
      const list = { store, table: 'actions', sortKey: 'due_at' } as const;
      const actions = (await dueRows(list, { now, limit })).map(toStartedAction);
      // The index lags, so rows that have ended since are not due.
      return actions.filter(({ due_at }) => due_at !== undefined && due_at <= now);
    },
  };
}
