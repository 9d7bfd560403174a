/** Pages of valid credentials and tickets, newest first: their ids are UUIDv7, so they sort by issue time. */
import type { Page } from '#core/kernel/page.ts';
import { cursorAt, inOrder, placeAt } from './in-order.ts';
import type { Store } from './store.ts';

interface LivePageSource {
  readonly store: Store;
  readonly table: 'credentials';
  /** A cursor only sets the position; the caller never chooses the partitions. */
  readonly partitions: readonly string[];
}

interface PageQuery<Row> {
  readonly limit: number;
  readonly cursor?: string;
  readonly toRow: (row: Row) => Row;
  /** ISO time before which rows are no longer valid. Once a row is older, so are all rows that follow. */
  readonly oldest: string;
  readonly isLive: (row: Row) => boolean;
}

const pageSize = 200;
const idForm = /^[0-9a-f-]{36}$/;

/**
 * Returns a page of valid rows. @throws GatewayError `invalid_request` for a cursor from another list,
 * `service_unavailable`.
 */
export async function livePage<Row extends { readonly id: string; readonly issued_at: string }>(
  where: LivePageSource,
  { limit, cursor, toRow, oldest, isLive }: PageQuery<Row>,
): Promise<Page<Row>> {
  const items: Row[] = [];
  const rows = inOrder({
    ...where,
    sortKey: 'id',
    order: 'descending',
    after: placeAt(cursor, idForm),
    about: pageSize,
  });
  for await (const item of rows) {
    const row = toRow(item as unknown as Row);
    if (row.issued_at < oldest) return { items };
    if (!isLive(row)) continue;
    items.push(row);
    if (items.length === limit) return { items, cursor: cursorAt(row.id) };
  }
  return { items };
}
