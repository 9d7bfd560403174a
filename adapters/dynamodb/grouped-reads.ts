/**
 * Batched consistent reads of single items by key: reads that arrive while others are under way share the next request.
 * A single read is sent at once. A read is never answered from a request sent before it.
 */

import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { remembered, rememberedText } from '#core/kernel/remembered.ts';
import { type Item, storeDown, stored } from './items.ts';
import { batchGet, idOf, maxKeys } from './rows-by-key.ts';

interface GroupedReadOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  readonly pause?: (ms: number) => Promise<void>;
}

interface PendingRead {
  readonly key: Item;
  readonly answer: PromiseWithResolvers<Item | undefined>;
}

const maxInFlight = 2;

type ReadItem = (key: Item) => Promise<Item | undefined>;

const readersOf = remembered((client: DynamoDBClient) => rememberedText((table) => groupedReads({ client, table })));

/** Returns the shared reader of this table and client; its keys share requests too. */
export const sharedReads = (client: DynamoDBClient, table: string): ReadItem => readersOf(client)(table);

/** Reads the current item, or undefined if there is none. Throws `service_unavailable` if the store does not answer. */
export function groupedReads(options: GroupedReadOptions): ReadItem {
  const { client, table } = options;
  let wanted = new Map<string, PendingRead>();
  let inFlight = 0;
  let due = false;

  return (key) => {
    const id = idOf(key, key);
    const same = wanted.get(id) ?? { key, answer: Promise.withResolvers<Item | undefined>() };
    wanted.set(id, same);
    goOn();
    return same.answer.promise;
  };

  /** Starts the next read, together with all reads of this turn of the event loop. */
  function goOn(): void {
    if (due || inFlight >= maxInFlight || wanted.size === 0) return;
    due = true;
    queueMicrotask(() => {
      due = false;
      const group = new Map([...wanted].slice(0, maxKeys));
      wanted = new Map([...wanted].slice(maxKeys));
      inFlight++;
      void read(group).finally(() => {
        inFlight--;
        goOn();
      });
      goOn();
    });
  }

  /** Reads a group and answers every reader; never rejects. */
  async function read(group: ReadonlyMap<string, PendingRead>): Promise<void> {
    const [first] = group.values();
    try {
      if (group.size === 1) return first?.answer.resolve(await one(first.key));
      const found = await many(group);
      for (const [id, { answer }] of group) answer.resolve(found.get(id));
    } catch (cause) {
      // One bad key must not fail the others.
      if (group.size > 1 && isErrorNamed(cause, 'ValidationException')) {
        await Promise.all([...group].map((wanted) => read(new Map([wanted]))));
      } else for (const { answer } of group.values()) answer.reject(storeDown(cause));
    }
  }

  async function one(Key: Item): Promise<Item | undefined> {
    const { Item } = await stored(client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true })));
    return Item;
  }

  async function many(group: ReadonlyMap<string, PendingRead>): Promise<Map<string, Item>> {
    const keys = [...group.values()].map(({ key }) => key);
    const found = await batchGet({ ...options, consistent: true }, keys);
    return new Map(found.map((item) => [idOf(item, keys[0] ?? {}), item]));
  }
}
