/**
 * Readers that remember hours beside consumers that add to them [analytics.kept], over the real embedded DynamoDB: whatever comes, late or
 * again, from whichever process, and wherever a consumer ends, a reader answers what the table says.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { observationsTable } from '#adapters/dynamodb/observations-table.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Bucket, bucketsOf } from '#core/observatory/buckets.ts';
import { type Dimension, everyTenant } from '#core/observatory/dimensions.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { startDynamo } from '../support/dynamo.ts';
import { sampleBlock, sampleChat } from '../unit/observatory/sample.ts';

let server: Awaited<ReturnType<typeof startDynamo>>;
beforeAll(async () => {
  server = await startDynamo();
});
afterAll(() => server.stop());

let stores = 0;
const newTables = () => server.createTables(`k${++stores}-`);
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

const plainly = (tables: Tables) => answers(observationsTable({ client: server.client(), tables }), false);

describe('[analytics.kept] [analytics.projection] a reader that remembers', () => {
  test('answers what the table says, whatever comes late, again, cut in any way and from two processes', async () => {
    const batch = fc.record({
      first: fc.nat({ max: 59 }),
      count: fc.integer({ min: 1, max: 20 }),
      consumer: fc.boolean(),
      endsAt: fc.option(fc.nat({ max: 40 }), { freq: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 6 }), async (batches) => {
        const tables = await newTables();
        const observations = () => observationsTable({ client: server.client(), tables });
        const [one, other, reader] = [observations(), observations(), observations()];
        await answers(reader, true);
        for (const { first, count, consumer, endsAt } of batches) {
          const some = projections.slice(first, first + count);
          if (endsAt === null) await (consumer ? one : other).apply(some);
          else {
            // A process that is killed while it counts. What is half counted may be seen or not; then the entries come to the next one.
            const killed = observationsTable({ client: watched(endsAt).client, tables });
            await killed.apply(some).catch(() => {});
            await answers(reader, true);
            await other.apply(some);
          }
          for (const each of [reader, one]) expect(await answers(each, true)).toEqual(await plainly(tables));
        }
        for (let n = projections.length; n > 0; n -= 15) await other.apply(projections.slice(Math.max(0, n - 15), n));
        const whole = await newTables();
        await observationsTable({ client: server.client(), tables: whole }).apply(projections);
        expect(await answers(reader, true)).toEqual(await plainly(whole));
      }),
      { numRuns: 12 },
    );
  });

  test('reads again only what has changed', async () => {
    const tables = await newTables();
    const consumer = observationsTable({ client: server.client(), tables });
    await consumer.apply(projections.slice(0, 59));
    const { client, seen } = watched();
    const reader = observationsTable({ client, tables });
    const itemsOf = async (work: () => Promise<unknown>) => {
      const before = seen.items;
      await work();
      return seen.items - before;
    };
    const ask = () => answers(reader, true);
    const [first, again] = [await itemsOf(ask), await itemsOf(ask)];
    const stampsAlone = await itemsOf(async () => {
      for (const [scope] of asked) for (const span of spans) await reader.stamps(scope, span);
    });
    expect(first).toBeGreaterThan(2 * stampsAlone);
    expect(again).toBe(stampsAlone);
    await consumer.apply(projections.slice(59));
    const late = await itemsOf(ask);
    expect(late).toBeGreaterThan(stampsAlone);
    expect(late).toBeLessThan(first);
    expect(await answers(reader, true)).toEqual(await plainly(tables));
  });

  test('learns of an hour by its last write: no read between two writes of a batch is kept beyond the batch', async () => {
    const tables = await newTables();
    const reader = observationsTable({ client: server.client(), tables });
    const real = server.client();
    const send = async (command: never) => {
      const answer = await real.send(command);
      await answers(reader, true);
      return answer;
    };
    await observationsTable({ client: { send } as never, tables }).apply(projections.slice(0, 12));
    expect(await answers(reader, true)).toEqual(await plainly(tables));
  });
});
