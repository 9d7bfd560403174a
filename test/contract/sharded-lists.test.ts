/** Lists whose rows lie in several partitions, read over the real embedded store: order, cursors, what one write touches. */
import { DescribeTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { entryPutItem, evidenceTable, headPutItem } from '#adapters/dynamodb/evidence-table.ts';
import { cursorAt } from '#adapters/dynamodb/in-order.ts';
import { dynamoLedger } from '#adapters/dynamodb/ledger.ts';
import { rowsByKey } from '#adapters/dynamodb/rows-by-key.ts';
import { shardOf } from '#adapters/dynamodb/shards.ts';
import { createTable, createTables } from '#adapters/local/tables.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { tables as specs } from '#core/contracts/tables.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { useDynamo } from '../support/dynamo.ts';
import { watched } from '../support/store-calls.ts';

const store = useDynamo();

const start = Date.UTC(2026, 0, 5);
const hourMs = 3_600_000;
const draft = (tenant: string, session: string, atMs: number): EntryDraft => ({
  ...{ tenant, session_id: session, timestamp: isoTime(atMs), kind: 'allow', envelope_id: `e-${session}` },
  ...{ actor: { key_id: 'k' }, body: { policy_version: 1 } },
});
const write = (tenant: string, session: string, atMs: number) =>
  dynamoLedger(store).commit({ draft: draft(tenant, session, atMs) });
const name = (n: number) => `s${String(n).padStart(3, '0')}`;

/** Every page of a list, as the names it held. */
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

describe('sessions of a tenant', () => {
  const log = () => evidenceTable(store);
  const newestFirst = Array.from({ length: 60 }, (_, n) => name(59 - n));

  beforeAll(async () => {
    await Promise.all(newestFirst.map((session, n) => write('many', session, start + (60 - n) * 1000)));
    await write('few', 'only', start);
  });

  test('[store.lists-over-shards] are listed most recently opened first, each once, whatever the page size', async () => {
    for (const limit of [1, 7, 20, 200]) {
      const found = await pages((cursor) => log().sessions('many', { limit, ...(cursor && { cursor }) }));
      expect(found.flat()).toEqual(newestFirst);
      expect(found).toHaveLength(Math.ceil(60 / limit));
    }
    expect(await pages(() => log().sessions('few', { limit: 5 }))).toEqual([['only']]);
    expect(await pages(() => log().sessions('none', { limit: 5 }))).toEqual([[]]);
  });

  test('[store.lists-over-shards] a cursor stays where it was while sessions are opened, and names no tenant', async () => {
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

  test('a page costs one request a shard and one for the heads, in two steps', async () => {
    const { client, calls, of } = watched(store.client);
    await evidenceTable({ client, tables: store.tables }).sessions('many', { limit: 20 });
    expect(of('Query').length).toBeLessThanOrEqual(18);
    expect(of('BatchGetItem')).toHaveLength(1);
    expect(calls.findIndex(({ operation }) => operation === 'BatchGetItem')).toBe(calls.length - 1);
  });

  test('[store.append-leaves-index] a further entry changes no attribute that by_opened holds', () => {
    const one = sealEntry(draft('t', 's', start), undefined);
    const head = advanceHead(undefined, one, 'k');
    const next = advanceHead(head, sealEntry(draft('t', 's', start + hourMs), head), 'k');
    const [before, after] = [headPutItem('sessions', undefined, head), headPutItem('sessions', head, next)];
    const [index] = specs.sessions.indexes;
    expect(index.projection).toBe('KEYS_ONLY');
    for (const key of [specs.sessions.partitionKey, index.partitionKey, index.sortKey])
      expect(after.Put?.Item?.[key]).toEqual(before.Put?.Item?.[key]);
    expect(after.Put?.Item).not.toEqual(before.Put?.Item);
  });
});

describe('the audit log', () => {
  const log = () => evidenceTable(store);
  const audit = (over: object = {}, tenant = 'audit') =>
    log().audit({ tenant, from: start, to: start + 6 * 24 * hourMs, limit: 10, ...over });

  // 100 entries in four sessions over five days, one every 73 minutes.
  beforeAll(async () => {
    for (let n = 0; n < 100; n++) await write('audit', `c${n % 4}`, start + n * 73 * 60_000);
  });

  test('[store.lists-over-shards] goes over days and shards, newest first, each entry once', async () => {
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

  test('reads only the days it is asked for, and nothing outside of the times', async () => {
    const { client, of } = watched(store.client);
    const narrow = evidenceTable({ client, tables: store.tables });
    const [from, to] = [start + 30 * hourMs, start + 32 * hourMs];
    const { items } = await narrow.audit({ tenant: 'audit', from, to, limit: 50 });
    expect(items.map(({ timestamp }) => timestamp)).toEqual([
      isoTime(start + 26 * 73 * 60_000),
      isoTime(start + 25 * 73 * 60_000),
    ]);
    expect(of('Query').length).toBe(32);
  });

  test('a time beyond the calendar and a cursor outside of the times are answered', async () => {
    expect((await audit({ from: -8.64e15, to: 8.64e15, limit: 5 })).items).toEqual([]);
    const cursor = cursorAt(`${isoTime(start + hourMs)}#c0#000000000000`);
    expect((await audit({ from: start + 2 * hourMs, cursor })).items).toEqual([]);
  });

  test('what the store leaves unprocessed is read nevertheless', async () => {
    let left = 3;
    const { client } = watched(store.client, async ({ operation, input }, send) => {
      if (operation !== 'BatchGetItem' || left-- <= 0) return send();
      return { Responses: {}, UnprocessedKeys: input.RequestItems };
    });
    const page = await evidenceTable({ client, tables: store.tables }).audit({
      ...{ tenant: 'audit', from: start, to: start + 6 * 24 * hourMs, limit: 10 },
    });
    expect(page.items).toHaveLength(10);
  });
});

test('[store.spread] rows of one tenant lie evenly over their partitions', () => {
  const entries = Array.from({ length: 4_000 }, (_, n) => sealEntry(draft('t', `s${n}`, start), undefined));
  for (const [partition, items] of [
    ['day', entries.map((entry) => entryPutItem('evidence', entry, 'w').Put?.Item)],
    ['opened_in', entries.map((entry) => headPutItem('sessions', undefined, advanceHead(undefined, entry)).Put?.Item)],
  ] as const) {
    const groups = [...Map.groupBy(items, (item) => item?.[partition]?.S).values()];
    const even = items.length / groups.length;
    expect(groups.length).toBe(partition === 'day' ? 32 : 16);
    expect(Math.max(...groups.map((group) => group.length))).toBeLessThan(1.5 * even);
  }
  expect(shardOf('a name', 16)).toBe(shardOf('a name', 16));
});

test('rows come in the order of their keys; a key without a row is left out', async () => {
  for (const id of ['r1', 'r2', 'r3'])
    await store.client.send(new PutItemCommand({ TableName: store.tables.sessions, Item: { id: { S: id } } }));
  const keys = ['r3', 'nothing', 'r1', 'r2'].map((id) => ({ id: { S: id } }));
  const rows = await rowsByKey({ client: store.client, table: store.tables.sessions, consistent: true }, keys);
  expect(rows.map(({ id }) => id?.S)).toEqual(['r3', 'r1', 'r2']);
});

test('[local.other-tables] tables of another release are refused in one line; the same ones are taken', async () => {
  const client = store.client;
  const sessions = { holds: '', partitionKey: 'tenant', sortKey: 'session' } as const;
  await createTable(client, 'old-sessions', sessions);
  const refusal = await createTables(client, 'old-').catch((thrown: Error) => thrown.message);
  expect(refusal).toBe(
    'The table old-sessions was made by another release: found tenant, session, this release needs id; by_opened KEYS_ONLY ' +
      'opened_in, opened. Move the state folder away or name another with --state; the release that made it still reads it.',
  );
  await createTables(client, 'same-');
  const names = await createTables(client, 'same-');
  const { Table } = await client.send(new DescribeTableCommand({ TableName: names.sessions }));
  expect(Table?.KeySchema).toEqual([{ AttributeName: 'id', KeyType: 'HASH' }]);
});
