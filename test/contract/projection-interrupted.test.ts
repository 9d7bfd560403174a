/** A stream consumer that stops at any request, and the redelivered batch: everything is counted once. */
import { observationsTable } from '#adapters/tables/observations-table.ts';
import type { Row, Store, StoreTable, Write } from '#adapters/tables/store.ts';
import { everyTenant } from '#core/observatory/dimensions.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { intercepted, recordedStore, testStore } from '../support/store.ts';
import { sampleBlock, sampleChat, sampleEntry } from '../unit/observatory/sample.ts';

/**
 * Returns a store that ends the process at this request, either before it is sent or when its response would arrive; no
 * other request follows.
 */
function dying(store: Store, at: number, sent: boolean): Store {
  let requests = 0;
  return intercepted(store, async (method, args, go) => {
    const now = requests++;
    if (now < at) return go();
    if (now === at && sent) await go();
    // Rows without a condition are sent in several requests, so only some of them are stored.
    else if (now === at && method === 'putMany') {
      const [table, rows] = args as [StoreTable, Row[]];
      await store.putMany(table, rows.slice(1));
    }
    throw new Error('the process ended');
  });
}

const entries = [
  ...Array.from({ length: 6 }, (_, n) => sampleChat(n, { resolved_model: n % 2 ? 'a' : 'b' })),
  sampleBlock(6),
  sampleEntry(7, { kind: 'review' }),
];
const projections = entries.map(projectEntry);

const viewsOf = async (store: Store) => {
  const observations = observationsTable({ store });
  return [
    await observations.usage('default', {}),
    await observations.violations('default', { limit: 100 }),
    await observations.requests('default', { since: '', limit: 100 }),
    await observations.minutes('default', { dimension: 'model:a', from: '2026', to: '2027' }),
    await observations.minutes('default', { dimension: 'tool:shell.rm', from: '2026', to: '2027' }),
    await observations.minutes(everyTenant, { dimension: 'global', from: '2026', to: '2027' }),
    await observations.minutes(everyTenant, { dimension: 'provider:mock', from: '2026', to: '2027' }),
  ];
};

async function expected() {
  const { store, calls } = recordedStore(testStore());
  await observationsTable({ store }).apply(projections);
  const requests = calls.length;
  return { views: await viewsOf(store), requests };
}

describe('[observations.once] [admin.analytics] a batch', () => {
  test('is counted once if its consumer dies at any request, however the batch is split on redelivery', async () => {
    const { views, requests } = await expected();
    expect(requests).toBeGreaterThan(6);
    for (let at = 0; at < requests; at++) {
      for (const sent of [false, true]) {
        const store = testStore();
        await expect(observationsTable({ store: dying(store, at, sent) }).apply(projections)).rejects.toThrow();
        const other = observationsTable({ store });
        await other.apply(projections.slice(0, 3));
        await other.apply(projections.slice(2));
        expect(await viewsOf(store)).toEqual(views);
      }
    }
  });

  test('after a failure, the consumer finishes the interrupted entry before the next one', async () => {
    const { views } = await expected();
    const store = testStore();
    let failing = true;
    const throttled = intercepted(store, async (method, _, go) => {
      if (failing && method === 'update') throw new Error('throttled');
      return go();
    });
    const consumer = observationsTable({ store: throttled });
    await expect(consumer.apply(projections.slice(0, 4))).rejects.toThrow();
    failing = false;
    await consumer.apply(projections.slice(4));
    await consumer.apply(projections.slice(0, 4));
    expect(await viewsOf(store)).toEqual(views);
  });

  test('an entry that was counted long ago changes nothing if it is redelivered', async () => {
    const { views } = await expected();
    const store = testStore();
    const first = observationsTable({ store });
    for (const projection of projections.slice(0, 5)) await first.apply([projection]);
    await observationsTable({ store }).apply(projections);
    await first.apply(projections.toReversed());
    expect(await viewsOf(store)).toEqual(views);
  });

  test('40 parallel consumers share no rows except the sums', async () => {
    const { store, of } = recordedStore(testStore());
    const consumers = Array.from({ length: 40 }, () => observationsTable({ store }));
    const each = consumers.map((_, n) => [sampleChat(n), sampleEntry(100 + n)].map(projectEntry));
    await Promise.all(consumers.map((consumer, n) => consumer.apply(each[n]!)));
    const together = of('transact').flatMap(({ args: [writes] }) =>
      (writes as Write[]).map((write) => ('put' in write ? `${write.row.series} ${write.row.at}` : '')),
    );
    expect(together.length).toBeGreaterThanOrEqual(80);
    expect(new Set(together).size).toBe(together.length);
    const [usage] = await viewsOf(store);
    expect(usage).toMatchObject({ requests: 40, total: 40 });
  });
});

test("[observations.once] a batch's pending additions are kept until they are applied, and then removed", async () => {
  const store = testStore();
  await observationsTable({ store }).apply(projections);
  const rowsOf = async (partition: string) => (await store.query('observations', { partition })).rows;
  const [mark] = await rowsOf(`seen#${entries[0]!.hash}`);
  const records = await rowsOf(`batch#${mark?.writer}#${mark?.number}`);
  expect(records).toHaveLength(1);
  expect(Object.keys(records[0]!).sort()).toEqual(['at', 'series', 'ttl']);
});
