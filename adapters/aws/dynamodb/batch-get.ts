/** Reads items by their keys with BatchGetItem, repeating the request for keys left unprocessed. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetItemCommand } from './commands.ts';
import type { Item } from './items.ts';

interface BatchGetOptions {
  readonly client: DynamoDBClient;
  readonly consistent: boolean;
  readonly pause: (ms: number) => Promise<void>;
  /** Maximum number of requests while keys remain unprocessed. */
  readonly rounds?: number;
}

/** Keys by table name. */
type KeysByTable = ReadonlyMap<string, readonly Item[]>;

/** Maximum number of keys per BatchGetItem. */
export const maxKeys = 100;
/** Maximum number of requests for unprocessed keys; the pauses between them grow. */
const maxRounds = 8;
const firstPauseMs = 10;

/**
 * Reads the items for at most 100 distinct keys, in no particular order. Missing items are left out.
 * @throws any error from the client; an Error if keys remain unprocessed.
 */
export async function batchGet(
  { client, consistent, pause, rounds = maxRounds }: BatchGetOptions,
  keys: KeysByTable,
): Promise<Map<string, Item[]>> {
  const found = new Map<string, Item[]>([...keys.keys()].map((table) => [table, []]));
  let RequestItems = Object.fromEntries(
    [...keys].map(([table, Keys]) => [table, { Keys: [...Keys], ...(consistent && { ConsistentRead: true }) }]),
  );
  for (let round = 1; Object.keys(RequestItems).length > 0; round++) {
    if (round > rounds) {
      const left = Object.values(RequestItems).reduce((sum, { Keys }) => sum + Keys.length, 0);
      throw new Error(`${left} keys were left unprocessed ${rounds} times`);
    }
    if (round > 1) await pause(firstPauseMs * 2 ** (round - 2));
    const { Responses = {}, UnprocessedKeys = {} } = await client.send(new BatchGetItemCommand({ RequestItems }));
    for (const [table, items] of Object.entries(Responses)) found.get(table)?.push(...items);
    RequestItems = Object.fromEntries(
      Object.entries(UnprocessedKeys).flatMap(([table, { Keys = [], ConsistentRead }]) =>
        Keys.length > 0 ? [[table, { Keys, ...(ConsistentRead && { ConsistentRead }) }]] : [],
      ),
    );
  }
  return found;
}

/** Returns an item's key as text, built from the attributes in `key`. */
export const keyText = (item: Item, key: Item): string => JSON.stringify(Object.keys(key).map((name) => item[name]));
