/**
 * Cached hours of analytics stay correct while projectors add to them, even if they add late, repeatedly or after a
 * crash [admin.analytics].
 */
import * as fc from 'fast-check';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import type { Store } from '#adapters/tables/store.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Bucket, bucketsOf } from '#core/observatory/buckets.ts';
import { type Dimension, everyTenant } from '#core/observatory/dimensions.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { intercepted, testStore } from '../support/store.ts';
import { sampleBlock, sampleChat } from '../unit/observatory/sample.ts';

/** Returns a store that fails at the given write, as if the process had ended. */
function ending(store: Store, endsAt: number): Store {
  let writes = 0;
  return intercepted(store, async (method, _, go) => {
    if (!/^(get|query)/.test(method) && ++writes > endsAt) throw new Error('the process ended');
    return go();
  });
}

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const minuteMs = 60_000;
const nowMs = startMs + 300 * minuteMs;

/** Returns an entry at some minute within five hours. */
const entryAt = (n: number) => {
  const over = { tenant: n % 4 === 0 ? 'other' : 'default', timestamp: isoTime(startMs + ((n * 47) % 300) * minuteMs) };
  return n % 5 === 0
    ? sampleBlock(n, over)
    : sampleChat(n, { latency_ms: 13 * n, outcome: n % 7 === 0 ? 'failed' : 'completed' }, over);
};
const projections = Array.from({ length: 60 }, (_, n) => projectEntry(entryAt(n)));

const asked: readonly (readonly [scope: string, dimension: Dimension])[] = [
  ['default', 'model:mock'],
  ['default', 'tenant:default'],
  ['other', 'tool:shell.rm'],
  [everyTenant, 'global'],
  [everyTenant, 'provider:mock'],
];

const spans = [
  { from: isoTime(startMs + 17 * minuteMs), to: isoTime(nowMs) },
  { from: isoTime(startMs), to: isoTime(startMs + 201 * minuteMs) },
];

/** @param remembers whether to read with the stamps of the scope; otherwise everything is read */
async function answers(observations: Observations, remembers: boolean): Promise<Bucket[][]> {
  const all: Bucket[][] = [];
  for (const [scope, dimension] of asked)
    for (const span of spans) {
      const stamps = remembers ? await observations.stamps(scope, span) : undefined;
      all.push(
        bucketsOf(await sumsBetween(observations, scope, { dimension, ...span, step: '1h' }, nowMs, stamps), '1h'),
      );
    }
  return all;
}

const plainly = (store: Store) => answers(observationsTable({ store }), false);

describe('[admin.analytics] a caching reader', () => {
  test('returns the same as the table after late, repeated, interrupted and concurrent writes', async () => {
    const batch = fc.record({
      first: fc.nat({ max: 59 }),
      count: fc.integer({ min: 1, max: 20 }),
      consumer: fc.boolean(),
      endsAt: fc.option(fc.nat({ max: 40 }), { freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
        const store = testStore();
        const [one, other, reader] = [1, 2, 3].map(() => observationsTable({ store })) as [
          Observations,
          Observations,
          Observations,
        ];
        await answers(reader, true);
        for (const { first, count, consumer, endsAt } of batches) {
          const some = projections.slice(first, first + count);
          if (endsAt === null) await (consumer ? one : other).apply(some);
          else {
            // A process is killed while it counts. Partial counts may or may not be visible; then the next process gets
            // the entries.
            await observationsTable({ store: ending(store, endsAt) })
              .apply(some)
              .catch(() => {});
            await answers(reader, true);
            await other.apply(some);
          }
          for (const each of [reader, one]) expect(await answers(each, true)).toEqual(await plainly(store));
        }
        for (let n = projections.length; n > 0; n -= 15) await other.apply(projections.slice(Math.max(0, n - 15), n));
        const whole = testStore();
        await observationsTable({ store: whole }).apply(projections);
        expect(await answers(reader, true)).toEqual(await plainly(whole));
        for (const each of [store, whole]) each.close();
      }),
      { numRuns: 12 },
    );
  });

  test('detects a changed hour by its last write: a read between two writes of a batch is not cached past the end of the batch', async () => {
    const store = testStore();
    const reader = observationsTable({ store });
    const read = intercepted(store, async (_, __, go) => {
      const answer = await go();
      await answers(reader, true);
      return answer;
    });
    await observationsTable({ store: read }).apply(projections.slice(0, 12));
    expect(await answers(reader, true)).toEqual(await plainly(store));
  });
});
