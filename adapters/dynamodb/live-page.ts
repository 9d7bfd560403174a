/** Pages of valid credentials and tickets, newest first: their ids are UUIDv7, so they sort by issue time. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Page } from '#core/kernel/page.ts';
import { cursorAt, inOrder, placeAt } from './in-order.ts';
import type { Item } from './items.ts';

interface Where {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** A cursor only sets the position; the caller never chooses the partitions. */
  readonly partitions: readonly string[];
}

interface PageQuery<Row> {
  readonly limit: number;
  readonly cursor?: string;
  readonly toRow: (item: Item) => Row;
  /** ISO time. A row issued earlier cannot be valid, nor can those after it. */
  readonly oldest: string;
  readonly isLive: (row: Row) => boolean;
}

const pageSize = 200;
const idForm = /^[0-9a-f-]{36}$/;

/** Returns a page of valid rows. @throws GatewayError `invalid_request` for a foreign cursor, `service_unavailable`. */
export async function livePage<Row extends { readonly id: string; readonly issued_at: string }>(
  where: Where,
  { limit, cursor, toRow, oldest, isLive }: PageQuery<Row>,
): Promise<Page<Row>> {
  const items: Row[] = [];
  const rows = inOrder({
    ...where,
    partitionKey: 'kept_in',
    sortKey: 'id',
    order: 'descending',
    after: placeAt(cursor, idForm),
    about: pageSize,
  });
  for await (const item of rows) {
    const row = toRow(item);
    if (row.issued_at < oldest) return { items };
    if (!isLive(row)) continue;
    items.push(row);
    if (items.length === limit) return { items, cursor: cursorAt(row.id) };
  }
  return { items };
}
