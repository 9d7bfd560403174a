/** Reads whole rows by their keys, for indexes that hold keys only. */
import { BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Item, stored } from './items.ts';

interface RowReadOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly consistent: boolean;
  readonly pause?: (ms: number) => Promise<void>;
}

/** Maximum number of keys per BatchGetItem. */
export const maxKeys = 100;
/** Maximum number of requests for unprocessed keys, with growing pauses. */
const maxRounds = 8;
const firstPauseMs = 10;

/**
 * Reads the rows of at most 100 distinct keys, in no particular order. Missing rows are left out.
 * @throws what the client throws; an Error if keys stay unprocessed.
 */
export async function batchGet(options: RowReadOptions, keys: readonly Item[]): Promise<Item[]> {
  const { client, table, consistent } = options;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const found: Item[] = [];
  let Keys = [...keys];
  for (let round = 1; Keys.length > 0; round++) {
    if (round > maxRounds) throw new Error(`${Keys.length} keys were left unprocessed ${maxRounds} times`);
    if (round > 1) await pause(firstPauseMs * 2 ** (round - 2));
    const request = { RequestItems: { [table]: { Keys, ...(consistent && { ConsistentRead: true }) } } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand(request));
    found.push(...(Responses?.[table] ?? []));
    Keys = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}

/**
 * Reads the rows of any number of distinct keys, in the order of the keys. Missing rows are left out.
 * @throws GatewayError `service_unavailable`.
 */
export async function rowsByKey(options: RowReadOptions, keys: readonly Item[]): Promise<Item[]> {
  const groups: Item[][] = [];
  for (let i = 0; i < keys.length; i += maxKeys) groups.push(keys.slice(i, i + maxKeys));
  const found = await Promise.all(groups.map((group) => stored(batchGet(options, group))));
  const rows = new Map(found.flat().map((row) => [idOf(row, keys[0] ?? {}), row]));
  return keys.map((key) => rows.get(idOf(key, key))).filter((row) => row !== undefined);
}

/** Returns an item's key as text, by the attributes of `key`. */
export const idOf = (item: Item, key: Item): string => JSON.stringify(Object.keys(key).map((name) => item[name]));
