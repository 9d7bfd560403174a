/**
 * Cached hours of analytics stay correct while projectors add to them, also late, repeatedly or after a crash
 * [admin.analytics].
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { createTable } from '#adapters/local/tables.ts';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import { storeTables } from '#adapters/tables/specs.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Bucket, bucketsOf } from '#core/observatory/buckets.ts';
import { type Dimension, everyTenant } from '#core/observatory/dimensions.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { over, startDynamo } from '../support/dynamo.ts';
import { useStarted } from '../support/use-started.ts';
import { sampleBlock, sampleChat } from '../unit/observatory/sample.ts';

const server = useStarted(() => startDynamo());

let stores = 0;
/** Makes the one table that is used. */
const newTables = async () => {
  const name = `k${++stores}-observations`;
  await createTable(server.client(), name, storeTables.observations);
  return { observations: name };
};
type Tables = Awaited<ReturnType<typeof newTables>>;

/** A client that counts the items it reads, and ends with the given write. */
function watched(endsAt = Number.POSITIVE_INFINITY) {
  const real = server.client();
  const seen = { items: 0, writes: 0 };
  const send = async (command: { readonly constructor: { readonly name: string } }) => {
    const reads = /^(Query|Get)/.test(command.constructor.name);
    if (!reads && ++seen.writes > endsAt) throw new Error('the process ended');
    const answer = (await real.send(command as never)) as { Items?: unknown[] };
    seen.items += answer.Items?.length ?? 0;
    return answer;
  };
  return { client: { send } as unknown as DynamoDBClient, seen };
}

const startMs = Date.parse('2026-01-01T00:00:00.000Z');
const minuteMs = 60_000;
const nowMs = startMs + 300 * minuteMs;

/** An entry of some minute of five hours. */
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

/** @param remembers with the stamps of the scope; else everything is read */
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

const plainly = (tables: Tables) => answers(observationsTable(over(server.client(), tables)), false);

describe('[admin.analytics] a reader that remembers', () => {
  test('answers as the table does after late, repeated, cut and concurrent writes', async () => {
    const batch = fc.record({
      first: fc.nat({ max: 59 }),
      count: fc.integer({ min: 1, max: 20 }),
      consumer: fc.boolean(),
      endsAt: fc.option(fc.nat({ max: 40 }), { freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
        const tables = await newTables();
        const observations = () => observationsTable(over(server.client(), tables));
        const [one, other, reader] = [observations(), observations(), observations()];
        await answers(reader, true);
        for (const { first, count, consumer, endsAt } of batches) {
          const some = projections.slice(first, first + count);
          if (endsAt === null) await (consumer ? one : other).apply(some);
          else {
            // A process that is killed while it counts. What is half counted may be seen or not; then the entries come to the next one.
            const killed = observationsTable(over(watched(endsAt).client, tables));
            await killed.apply(some).catch(() => {});
            await answers(reader, true);
            await other.apply(some);
          }
          for (const each of [reader, one]) expect(await answers(each, true)).toEqual(await plainly(tables));
        }
        for (let n = projections.length; n > 0; n -= 15) await other.apply(projections.slice(Math.max(0, n - 15), n));
        const whole = await newTables();
        await observationsTable(over(server.client(), whole)).apply(projections);
        expect(await answers(reader, true)).toEqual(await plainly(whole));
      }),
      { numRuns: 12 },
    );
  });

  test('learns of an hour by its last write: no read between two writes of a batch is kept beyond the batch', async () => {
    const tables = await newTables();
    const reader = observationsTable(over(server.client(), tables));
    const real = server.client();
    const send = async (command: never) => {
      const answer = await real.send(command);
      await answers(reader, true);
      return answer;
    };
    await observationsTable(over({ send } as never, tables)).apply(projections.slice(0, 12));
    expect(await answers(reader, true)).toEqual(await plainly(tables));
  });
});
