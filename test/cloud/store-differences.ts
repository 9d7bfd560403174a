/** The local store compared with the emulator's DynamoDB, with random operations from a seed. */
import { randomInt } from 'node:crypto';
import { dynamoClient } from '#adapters/aws/dynamodb/client.ts';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { openStore } from '#adapters/local/sqlite/store.ts';
import { createTables } from '#adapters/local/tables.ts';
import { RandomRows } from '../contract/random-rows.ts';
import { compareStores } from '../contract/store-answers.ts';
import { type Check, check } from '../support/checks.ts';
import { clientConfig } from './caller.ts';
import type { Emulator } from './emulator.ts';

const operations = 1_500;

export function storeDifferenceChecks(emulator: Emulator): Check[] {
  return [
    check(
      "[store.embedded] the local store gives the same results as the emulator's DynamoDB for random operations",
      async () => {
        const seed = Number(process.env.STORE_SEED ?? randomInt(1_000_000));
        console.log(`Seed ${seed}; to repeat the run, set STORE_SEED.`);
        const client = dynamoClient({ ...clientConfig(emulator), maxAttempts: 3 });
        const local = openStore();
        try {
          const remote = dynamoStore({ client, tables: await createTables(client, `compared-${seed}-`) });
          // The emulator filters an index's keys by attributes that the index does not hold, which DynamoDB does not.
          await compareStores({ local, remote }, new RandomRows(seed, { filtersIndexes: false }), operations);
        } finally {
          local.close();
          client.destroy();
        }
      },
    ),
  ];
}
