/** Reads of session heads that share a request. */
import { BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import { over } from '../support/dynamo.ts';
import { draft, dynamo } from './grouped-store.ts';
import { watched } from './store-calls.ts';

describe('head reads', () => {
  const sessions = Array.from({ length: 130 }, (_, n) => `read-${n}`);

  const reader = (client: DynamoDBClient) => {
    const store = dynamoStore({ client, tables: dynamo.tables, pause: async () => {} });
    return (id: string) => store.get('sessions', { id }, { together: true });
  };

  beforeAll(async () => {
    const ledger = tableLedger(dynamo);
    await Promise.all(sessions.map((session) => ledger.commit({ draft: draft(session, session), head: null })));
  });

  test('a single read is a GetItem; 16 concurrent reads share one request, and each gets its own head', async () => {
    const store = watched(dynamo.client);
    const log = evidenceTable(over(store.client, dynamo.tables));
    expect(await log.head('t', 'read-1')).toMatchObject({ session_id: 'read-1', total_entries: 1 });
    expect(store.calls.map(({ operation }) => operation)).toEqual(['GetItem']);
    const asked = [...sessions.slice(0, 14), 'nobody', 'read-3'];
    const heads = await Promise.all(asked.map((session) => log.head('t', session)));
    expect(heads.map((head) => head?.session_id)).toEqual([...sessions.slice(0, 14), undefined, 'read-3']);
    expect(store.of('BatchGetItem')).toHaveLength(1);
    expect(store.of('BatchGetItem')[0]?.input.RequestItems[dynamo.tables.sessions]).toMatchObject({
      ConsistentRead: true,
      Keys: { length: 15 },
    });
  });

  test('a request contains at most 100 keys', async () => {
    const store = watched(dynamo.client);
    const log = evidenceTable(over(store.client, dynamo.tables));
    const heads = await Promise.all(sessions.map((session) => log.head('t', session)));
    expect(heads.map((head) => head?.session_id)).toEqual(sessions);
    const sizes = store.of('BatchGetItem').map(({ input }) => input.RequestItems[dynamo.tables.sessions].Keys.length);
    expect(sizes).toEqual([100, 30]);
  });

  test('unprocessed keys are reread', async () => {
    const store = watched(dynamo.client, async ({ operation, input }, send) => {
      if (operation !== 'BatchGetItem') return send();
      const [{ Keys, ...rest }] = Object.values(input.RequestItems) as [{ Keys: object[] }];
      const now = await dynamo.client.send(
        new BatchGetItemCommand({
          RequestItems: { [dynamo.tables.sessions]: { ...rest, Keys: Keys.slice(0, 2) as never } },
        }),
      );
      const left = Keys.slice(2);
      return { ...now, UnprocessedKeys: left.length > 0 ? { [dynamo.tables.sessions]: { ...rest, Keys: left } } : {} };
    });
    const read = reader(store.client);
    const rows = await Promise.all(sessions.slice(0, 7).map((session) => read(`t#${session}`)));
    expect(rows.map((row) => row?.session)).toEqual(sessions.slice(0, 7));
    expect(store.of('BatchGetItem')).toHaveLength(4);
  });

  test('keys that stay unprocessed, or a failing store, lead to refusals', async () => {
    const never = watched(dynamo.client, ({ input }) => ({ UnprocessedKeys: input.RequestItems }));
    const down = watched(dynamo.client, () => Promise.reject(new Error('connect ECONNREFUSED')));
    for (const { client } of [never, down]) {
      const both = await Promise.allSettled(['a', 'b'].map(reader(client)));
      expect(both.map((one) => (one as PromiseRejectedResult).reason.code)).toEqual(
        Array(2).fill('service_unavailable'),
      );
    }
  });

  test('a key that the store rejects affects only its own read', async () => {
    const log = evidenceTable(dynamo);
    const outcomes = await Promise.allSettled(
      ['read-1', 'x'.repeat(3_000), 'read-2'].map((session) => log.head('t', session)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('never return the result of a read that began before they did', async () => {
    const ledger = tableLedger(dynamo);
    const log = evidenceTable(dynamo);
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const session = `fresh-${n % 3}`;
        for (let turn = 0; turn < 8; turn++) {
          const written = await ledger.commit({ draft: draft(session, `${n}-${turn}`) });
          const read = await log.head('t', session);
          if (!written.ok) throw new Error('not written');
          expect(read?.total_entries).toBeGreaterThanOrEqual(written.head.total_entries);
        }
      }),
    );
  });
});
