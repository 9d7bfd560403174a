/** Pages of credentials and tickets that are still good, newest first: their ids are UUIDv7, so they sort by issue. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Page } from '#core/kernel/page.ts';
import { cursorAt, inOrder, placeAt } from './in-order.ts';
import type { Item } from './items.ts';

interface Where {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Of a cursor only the place counts; whose rows are read never comes from the caller. */
  readonly partitions: readonly string[];
}

interface PageQuery<Row> {
  readonly limit: number;
  readonly cursor?: string;
  readonly toRow: (item: Item) => Row;
  /** ISO time: a row issued before cannot be good, and none behind it. */
  readonly oldest: string;
  readonly isLive: (row: Row) => boolean;
}

const pageSize = 200;
const idForm = /^[0-9a-f-]{36}$/;

/** @throws GatewayError `invalid_request` for a cursor of another's making, `service_unavailable`. */
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
