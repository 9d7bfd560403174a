/** Lists over several partitions of the embedded store: order, cursors, and the rows that a write touches. */
import { DescribeTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { createTable, createTables } from '#adapters/local/tables.ts';
import { entryPut, evidenceTable, headPut } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import { rowsByKey } from '#adapters/tables/rows-by-key.ts';
import { shardOf } from '#adapters/tables/shards.ts';
import type { Row, Write } from '#adapters/tables/store.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { tables as specs } from '#core/contracts/tables.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { over, useDynamo } from '../support/dynamo.ts';
import { watched } from './store-calls.ts';

const store = useDynamo();

const start = Date.UTC(2026, 0, 5);
const hourMs = 3_600_000;
const draft = (tenant: string, session: string, atMs: number): EntryDraft => ({
  tenant,
  session_id: session,
  timestamp: isoTime(atMs),
  kind: 'allow',
  envelope_id: `e-${session}`,
  actor: { key_id: 'k' },
  body: { policy_version: 1 },
});
const write = (tenant: string, session: string, atMs: number) =>
  tableLedger(store).commit({ draft: draft(tenant, session, atMs) });
const rowOf = (write: Write): Row => ('put' in write ? write.row : {});
const name = (n: number) => `s${String(n).padStart(3, '0')}`;

/** Returns the names on each page of a list. */
async function pages(
  list: (cursor?: string) => Promise<{ items: readonly { session_id: string }[]; cursor?: string }>,
) {
  const found: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    found.push(page.items.map(({ session_id }) => session_id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return found;
}

describe("a tenant's sessions", () => {
  const log = () => evidenceTable(store);
  const newestFirst = Array.from({ length: 60 }, (_, n) => name(59 - n));

  beforeAll(async () => {
    await Promise.all(newestFirst.map((session, n) => write('many', session, start + (60 - n) * 1000)));
    await write('few', 'only', start);
  });

  test('[store.lists-over-shards] are listed once, most recently opened first, for any page size', async () => {
    for (const limit of [1, 7, 20, 200]) {
      const found = await pages((cursor) => log().sessions('many', { limit, ...(cursor && { cursor }) }));
      expect(found.flat()).toEqual(newestFirst);
      expect(found).toHaveLength(Math.ceil(60 / limit));
    }
    expect(await pages(() => log().sessions('few', { limit: 5 }))).toEqual([['only']]);
    expect(await pages(() => log().sessions('none', { limit: 5 }))).toEqual([[]]);
  });

  test('[store.lists-over-shards] a cursor stays stable while sessions are opened, and does not reveal the tenant', async () => {
    for (let n = 0; n < 30; n++) await write('growing', name(n), start + (n + 1) * 1000);
    const first = await log().sessions('growing', { limit: 10 });
    const before = await log().sessions('growing', { limit: 10, cursor: first.cursor! });
    for (let n = 30; n < 36; n++) await write('growing', name(n), start + (n + 1) * 1000);
    expect(await log().sessions('growing', { limit: 10, cursor: first.cursor! })).toEqual(before);
    const foreign = await log().sessions('few', { limit: 10, cursor: first.cursor! });
    expect(foreign.items.map(({ tenant }) => tenant)).toEqual(['few']);
    await expect(log().sessions('many', { limit: 10, cursor: 'e30' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('a page costs one request per shard and one for the session heads, in two steps', async () => {
    const { client, calls, of } = watched(store.client);
    await evidenceTable(over(client, store.tables)).sessions('many', { limit: 20 });
    expect(of('Query').length).toBeLessThanOrEqual(18);
    expect(of('BatchGetItem')).toHaveLength(1);
    expect(calls.findIndex(({ operation }) => operation === 'BatchGetItem')).toBe(calls.length - 1);
  });

  test('[store.lists-over-shards] appending an entry changes no attribute in the by_opened index', () => {
    const one = sealEntry(draft('t', 's', start), undefined);
    const head = advanceHead(undefined, one, 'k');
    const next = advanceHead(head, sealEntry(draft('t', 's', start + hourMs), head), 'k');
    const [before, after] = [headPut(undefined, head), headPut(head, next)];
    const [index] = specs.sessions.indexes;
    expect(index.projection).toBe('KEYS_ONLY');
    for (const key of [specs.sessions.partitionKey, index.partitionKey, index.sortKey])
      expect(rowOf(after)[key]).toEqual(rowOf(before)[key]);
    expect(rowOf(after)).not.toEqual(rowOf(before));
  });
});

describe('the audit log', () => {
  const log = () => evidenceTable(store);
  const audit = (over: object = {}, tenant = 'audit') =>
    log().audit({ unreadable: () => {}, tenant, from: start, to: start + 6 * 24 * hourMs, limit: 10, ...over });

  // 100 entries in four sessions over five days, one every 73 minutes.
  beforeAll(async () => {
    for (let n = 0; n < 100; n++) await write('audit', `c${n % 4}`, start + n * 73 * 60_000);
  });

  test('[store.lists-over-shards] covers all days and shards, newest first, with each entry once', async () => {
    for (const limit of [3, 40, 200]) {
      const times: string[] = [];
      await pages(async (cursor) => {
        const page = await audit({ limit, ...(cursor && { cursor }) });
        times.push(...page.items.map(({ timestamp }) => timestamp));
        return page;
      });
      expect(times).toHaveLength(100);
      expect(times).toEqual([...new Set(times)].sort().reverse());
    }
  });

  test('reads only the requested days and times', async () => {
    const { client, of } = watched(store.client);
    const narrow = evidenceTable(over(client, store.tables));
    const [from, to] = [start + 30 * hourMs, start + 32 * hourMs];
    const { items } = await narrow.audit({ unreadable: () => {}, tenant: 'audit', from, to, limit: 50 });
    expect(items.map(({ timestamp }) => timestamp)).toEqual([
      isoTime(start + 26 * 73 * 60_000),
      isoTime(start + 25 * 73 * 60_000),
    ]);
    expect(of('Query').length).toBe(32);
  });

  test('unprocessed keys are read again', async () => {
    let left = 3;
    const { client } = watched(store.client, async ({ operation, input }, send) => {
      if (operation !== 'BatchGetItem' || left-- <= 0) return send();
      return { Responses: {}, UnprocessedKeys: input.RequestItems };
    });
    const page = await evidenceTable(over(client, store.tables)).audit({
      unreadable: () => {},
      tenant: 'audit',
      from: start,
      to: start + 6 * 24 * hourMs,
      limit: 10,
    });
    expect(page.items).toHaveLength(10);
  });
});

test("[store.lists-over-shards] a tenant's rows are distributed evenly across their partitions", () => {
  const entries = Array.from({ length: 4_000 }, (_, n) => sealEntry(draft('t', `s${n}`, start), undefined));
  for (const [partition, items] of [
    ['day', entries.map((entry) => rowOf(entryPut(entry, 'w')))],
    ['opened_in', entries.map((entry) => rowOf(headPut(undefined, advanceHead(undefined, entry))))],
  ] as const) {
    const groups = [...Map.groupBy(items, (row) => row[partition]).values()];
    const even = items.length / groups.length;
    expect(groups.length).toBe(partition === 'day' ? 32 : 16);
    expect(Math.max(...groups.map((group) => group.length))).toBeLessThan(1.5 * even);
  }
  // A single-file store keeps the entries of a day next to each other.
  const local = new Set(entries.map((entry) => rowOf(entryPut(entry, 'w', '', true)).day));
  expect([...local]).toEqual(['t#2026-01-05#0']);
  expect(shardOf('a name', 16)).toBe(shardOf('a name', 16));
});

test('rows are returned in the order of their keys; a key without a row is skipped', async () => {
  for (const id of ['r1', 'r2', 'r3']) await store.store.put('sessions', { id });
  const keys = ['r3', 'nothing', 'r1', 'r2'].map((id) => ({ id }));
  const rows = await rowsByKey(store.store, 'sessions', keys);
  expect(rows.map(({ id }) => id)).toEqual(['r3', 'r1', 'r2']);
});

test('[store.layout-refused] tables with other keys are refused with a one-line message before any is created; the same tables are accepted', async () => {
  const client = store.client;
  const sessions = { holds: '', partitionKey: 'tenant', sortKey: 'session' } as const;
  await createTable(client, 'old-sessions', sessions);
  const refusal = await createTables(client, 'old-').catch((thrown: Error) => thrown.message);
  expect(refusal).toBe(
    'the table old-sessions has the keys tenant, session, and this version reads only id; by_opened KEYS_ONLY opened_in, ' +
      'opened. Nothing was changed; use a server without these tables',
  );
  const { TableNames = [] } = await client.send(new ListTablesCommand({}));
  expect(TableNames.filter((name) => name.startsWith('old-'))).toEqual(['old-sessions']);
  await createTables(client, 'same-');
  const names = await createTables(client, 'same-');
  const { Table } = await client.send(new DescribeTableCommand({ TableName: names.sessions }));
  expect(Table?.KeySchema).toEqual([{ AttributeName: 'id', KeyType: 'HASH' }]);
});
