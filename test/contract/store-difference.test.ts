/** The local store compared with the DynamoDB driver on a third-party server, with random operations from a seed. */
import { randomInt } from 'node:crypto';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { openStore } from '#adapters/local/sqlite/store.ts';
import { createTables } from '#adapters/local/tables.ts';
import type { Store } from '#adapters/tables/store.ts';
import { clientOf } from '../support/dynamo.ts';
import { referenceBinary, startReference } from '../support/dynoxide.ts';
import { runs, thorough } from '../support/extent.ts';
import { type Operation, RandomRows } from './random-rows.ts';
import { answerOf, compareStores } from './store-answers.ts';

const binary = referenceBinary();
/** Seed of the first run. To repeat a run, set it: `STORE_SEED=7 npx jest test/contract/store-difference.test.ts`. */
const first = Number(process.env.STORE_SEED ?? randomInt(1_000_000));
const seeds = runs(14, 1);
const operations = 1_500;
const rounds = runs(150, 25);
const writers = 3;

if (!binary)
  process.stderr.write(
    `NOT TESTED: the stores were not compared, because no reference server exists for ${process.platform}-${process.arch}.\n`,
  );

(binary ? test : test.skip)(
  '[store.embedded] both drivers give the same results for thousands of operations, including the reasons for refusals',
  async () => {
    process.stderr.write(`Seeds ${first} to ${first + seeds - 1}.\n`);
    const server = await startReference(binary!);
    const client = clientOf(server.endpoint);
    const seen = new Set<string>();
    try {
      for (let seed = first; seed < first + seeds; seed++) {
        const remote = dynamoStore({ client, tables: await createTables(client, `s${seed}-`) });
        const local = openStore();
        for (const kind of await compareStores({ local, remote }, new RandomRows(seed), operations)) seen.add(kind);
        local.close();
      }
    } finally {
      client.destroy();
      server.stop();
    }
    // A generator that produces only errors would compare nothing.
    const kinds = ['put', 'update', 'remove', 'get', 'getMany', 'query', 'putMany', 'transact'];
    expect([...seen]).toEqual(
      expect.arrayContaining([
        ...kinds.map((kind) => `${kind} answered`),
        'transact cancelled',
        // Rare: a single seed may not produce any.
        ...(thorough ? ['transact fault input'] : []),
      ]),
    );
  },
);

/** Repeats a write that collided with another, as callers do. */
async function written({ run }: Operation, store: Store): Promise<string> {
  for (;;) {
    const answer = await answerOf(run, store);
    if (!answer.includes('busy')) return answer;
  }
}

const rowsOf = (store: Store) => answerOf((each) => each.getMany(RandomRows.contended), store);

/** Returns the possible outcomes, one for each order of the writes: the responses and the rows, as text. */
async function serialOutcomes(before: readonly Operation[], writes: readonly Operation[]): Promise<Set<string>> {
  const outcomes = new Set<string>();
  for (const order of orders(writes.map((_, at) => at))) {
    const store = openStore();
    for (const write of before) await written(write, store);
    const answers: string[] = [];
    for (const at of order) answers[at] = await written(writes[at]!, store);
    outcomes.add(JSON.stringify([answers, await rowsOf(store)]));
    store.close();
  }
  return outcomes;
}

const orders = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) => orders(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));

(binary ? test : test.skip)(
  '[store.embedded] with concurrent writers, the responses and the resulting rows match some serial order of the writes on both drivers',
  async () => {
    const server = await startReference(binary!);
    const client = clientOf(server.endpoint);
    let decidedByOrder = 0;
    try {
      const remote = dynamoStore({ client, tables: await createTables(client, 'writers-') });
      const maker = new RandomRows(first, { contended: true });
      for (let round = 0; round < rounds; round++) {
        const before = Array.from({ length: 3 }, () => maker.write());
        const writes = Array.from({ length: writers }, () => maker.write());
        const allowed = await serialOutcomes(before, writes);
        if (allowed.size > 1) decidedByOrder++;
        const local = openStore();
        for (const store of [local, remote]) {
          for (const [table, key] of RandomRows.contended) await store.remove(table, key);
          for (const write of before) await written(write, store);
          const answers = await Promise.all(writes.map((write) => written(write, store)));
          const outcome = JSON.stringify([answers, await rowsOf(store)]);
          expect({ seed: first, round, outcomes: [...allowed] }).toEqual({
            seed: first,
            round,
            outcomes: expect.arrayContaining([outcome]),
          });
        }
        local.close();
      }
    } finally {
      client.destroy();
      server.stop();
    }
    // If the writers never collided, the test would prove nothing.
    expect(decidedByOrder).toBeGreaterThan(0);
  },
);
