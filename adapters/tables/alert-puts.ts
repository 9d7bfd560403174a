/** Alert rows that the ledger writes in the same transaction as their evidence entry. */
import type { AlertRow } from '#core/contracts/alert.ts';
import { ifUnchanged, type Row, type Write } from './store.ts';

const keptSeconds = 30 * 24 * 3600;

const ttlOf = ({ evaluated }: AlertRow): number => Math.floor(Date.parse(`${evaluated}:00Z`) / 1000) + keptSeconds;

/** Index partition that contains only open alerts. */
export const openAlerts = 'open';

export const toStored = (row: AlertRow): Row => ({
  ...row,
  id: row.key,
  ttl: ttlOf(row),
  ...(row.alert.state !== 'resolved' && { open_in: openAlerts, opened_at: row.alert.created_at }),
});

/** Puts the row if the stored row is unchanged since it was read. A replaced alert is kept under its own number. */
export function alertPuts({ row, before }: { readonly row: AlertRow; readonly before?: AlertRow }): Write[] {
  const put: Write = { put: 'alerts', row: toStored(row), if: ifUnchanged(before) };
  if (!before || before.number === row.number) return [put];
  return [put, { put: 'alerts', row: { ...toStored(before), id: `${before.key}-${before.number}` } }];
}
