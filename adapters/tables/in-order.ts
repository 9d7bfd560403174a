/**
 * Reads rows from several partitions as one ordered list. All partitions are queried at the same time for their share
 * of a page, and queried again only when that share is used up.
 */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Key, Row, Store, StoreTable } from './store.ts';

export interface OrderedRows {
  readonly store: Store;
  readonly table: StoreTable;
  readonly index?: string;
  /** Partitions that contain the list. */
  readonly partitions: readonly string[];
  /** Name of the sort key, whose values begin with an ISO time so that they sort chronologically. */
  readonly sortKey: string;
  readonly order: 'ascending' | 'descending';
  /** Sort keys below `from` and above `to` are left out. */
  readonly from?: string;
  readonly to?: string;
  /** Sort key of the last row of the previous page; the list continues after it. */
  readonly after?: string | undefined;
  /** Approximate number of rows wanted. */
  readonly about: number;
}

interface Shard {
  readonly partition: string;
  rows: Row[];
  /** Key to continue from; undefined at the end of the partition. */
  next: Key | undefined;
}

/** Sort keys before and after every ISO time. */
const first = '0';
const last = '~';

/**
 * Yields the rows in order until the caller stops.
 * @throws StoreFault
 */
export async function* inOrder(list: OrderedRows): AsyncGenerator<Row, void, undefined> {
  const share = Math.ceil((2 * list.about) / list.partitions.length) + 2;
  const place = (row: Row): string => String(row[list.sortKey] ?? '');
  const before = (a: Shard, b: Shard): boolean => {
    const [one, other] = [place(a.rows[0]!), place(b.rows[0]!)];
    return list.order === 'ascending' ? one < other : one > other;
  };
  const shards: Shard[] = list.partitions.map((partition) => ({ partition, rows: [], next: undefined }));
  await Promise.all(shards.map((shard) => readShard(list, shard, share)));
  for (;;) {
    const usedUp = shards.filter(({ rows, next }) => rows.length === 0 && next);
    if (usedUp.length > 0) {
      await Promise.all(usedUp.map((shard) => readShard(list, shard, share)));
      continue;
    }
    const filled = shards.filter(({ rows }) => rows.length > 0);
    if (filled.length === 0) return;
    const row = filled.reduce((best, shard) => (before(shard, best) ? shard : best)).rows.shift()!;
    if (place(row) !== list.after) yield row;
  }
}

async function readShard(list: OrderedRows, shard: Shard, share: number): Promise<void> {
  const { after, order } = list;
  const low = (order === 'ascending' ? after : undefined) ?? list.from ?? first;
  const high = (order === 'descending' ? after : undefined) ?? list.to ?? last;
  if (low > high) return;
  const page = await list.store.query(list.table, {
    ...(list.index !== undefined && { index: list.index }),
    partition: shard.partition,
    range: { from: low, to: high },
    order,
    limit: share,
    after: shard.next,
    stale: true,
  });
  shard.rows = [...page.rows];
  shard.next = page.next;
}

/** Returns at most this many rows, and the place of the last one if more rows follow. */
export async function pageOf(
  list: Omit<OrderedRows, 'about'>,
  limit: number,
): Promise<{ readonly rows: readonly Row[]; readonly last?: string }> {
  const rows: Row[] = [];
  for await (const row of inOrder({ ...list, about: limit + 1 })) {
    if (rows.length === limit) return { rows, last: String(rows.at(-1)?.[list.sortKey] ?? '') };
    rows.push(row);
  }
  return { rows };
}

/**
 * Returns a place in an ordered list as an opaque cursor. It does not name a partition, so it stays valid if partitions
 * change.
 */
export const cursorAt = (place: string): string => Buffer.from(place).toString('base64url');

/** @throws GatewayError `invalid_request` for a cursor that the gateway did not create. */
export function placeAt(
  cursor: string | undefined,
  form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#/,
): string | undefined {
  if (cursor === undefined) return undefined;
  const place = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!form.test(place))
    throw invalidRequest('cursor was not made by this service; pass the cursor of the previous page unchanged.');
  return place;
}
