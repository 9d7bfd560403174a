/**
 * Rows of the approvals table: a new row with its pointer, and a row's transitions. Parameters and results are stored
 * as canonical JSON text, because a map in the store accepts no number above 2^53, no double below 1e-130 and no more
 * than 32 levels.
 */
import { dueAt } from '#core/approvals/due.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Change } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { dueIn } from './due-rows.ts';
import type { Condition, Row, Write } from './store.ts';

export const pointerId = (tenant: string, digest: string) => `call#${tenant}#${digest}`;
export const statusKey = (tenant: string, status: ApprovalStatus) => `${tenant}#${status}`;
/** Time for which rows are kept after they expire; evidence is kept longer. */
const keptSeconds = 30 * 24 * 3600;
const ttlOf = (iso: string) => Math.floor(Date.parse(iso) / 1000) + keptSeconds;

/**
 * Returns the sort key in `by_status`. It contains the requester, so that one key's requests can be found, and all
 * keys' requests counted, without reading a row. Neither a time nor an envelope id contains a `#`.
 */
const queuedKey = ({ queued_at, envelope_id, key_id }: ApprovalRow): string => `${queued_at}#${envelope_id}#${key_id}`;
export const keyIdOf = (queued: string): string => queued.split('#').slice(2).join('#');

/**
 * Returns the sort key in `by_due`. It contains the time at which a request was queued, so that pending requests can be
 * counted without reading a row.
 */
export const dueKey = (at: string, status: ApprovalStatus, queuedAt = ''): string =>
  `${at}#${status}${status === 'pending' ? `#${queuedAt}` : ''}`;
const dueOf = (row: Parameters<typeof dueAt>[0]): string | undefined => {
  const at = dueAt(row);
  return at && dueKey(at, row.status, row.queued_at);
};

export const toStored = ({ parameters, sent_with, ...row }: ApprovalRow): Row => ({
  id: row.envelope_id,
  tenant_status: statusKey(row.tenant, row.status),
  queued: queuedKey(row as ApprovalRow),
  due_in: dueIn(row.envelope_id),
  due: dueOf(row),
  ttl: ttlOf(row.expires_at),
  ...row,
  parameters_json: canonicalize(parameters),
  ...(sent_with && { sent_with_json: canonicalize(sent_with) }),
});

export function toRow(stored: Row): ApprovalRow {
  const { id: _id, tenant_status: _status, queued: _queued, ttl: _ttl, ...kept } = stored;
  const { due_in: _in, due: _due, result_json, parameters_json, sent_with_json, ...row } = kept;
  return {
    ...row,
    ...(typeof parameters_json === 'string' && { parameters: JSON.parse(parameters_json) }),
    ...(typeof sent_with_json === 'string' && { sent_with: JSON.parse(sent_with_json) }),
    ...(typeof result_json === 'string' && { result: JSON.parse(result_json) }),
  } as unknown as ApprovalRow;
}

export function openPuts({ row, replaces }: Extract<Change, { type: 'approval.open' }>): Write[] {
  const { envelope_id } = row;
  return [
    {
      put: 'approvals',
      row: { id: pointerId(row.tenant, row.call_digest), envelope_id, ttl: ttlOf(row.expires_at) },
      if: replaces === undefined ? { absent: 'id' } : { equals: ['envelope_id', replaces] },
      current: true,
    },
    { put: 'approvals', row: toStored(row), if: { absent: 'id' } },
  ];
}

export function moveUpdate(
  change: Extract<Change, { type: 'approval.move' }>,
  entry: Pick<EvidenceEntry, 'hash' | 'index'>,
): Write {
  const { result, ...rest } = change.set;
  const moved = change.to !== change.from;
  const set: Row = {
    ...rest,
    ...(result !== undefined && { result_json: canonicalize(result) }),
    status: change.to,
    tenant_status: statusKey(change.tenant, change.to),
    // A row whose state does not change keeps its due time.
    ...(moved && { due: dueOf({ ...rest, status: change.to }) }),
    ...(change.stampEntry && { evidence_hash: entry.hash, evidence_index: entry.index }),
  };
  const where = Object.entries({ status: change.from, tenant: change.tenant, ...change.where });
  return {
    update: 'approvals',
    key: { id: change.id },
    change: { set, remove: [...(change.clear ?? []), ...(moved && set.due === undefined ? ['due'] : [])] },
    if: {
      all: [
        ...where.map(([name, value]): Condition => ({ equals: [name, value as string] })),
        ...(change.after ? [{ above: [change.after.attribute, change.after.time] } as const] : []),
      ],
    },
    current: true,
  };
}
