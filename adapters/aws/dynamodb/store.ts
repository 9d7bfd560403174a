/** The DynamoDB store: builds requests with expressions and interprets the responses. */
import { randomUUID } from 'node:crypto';
import type { DynamoDBClient, TransactWriteItem, WriteRequest } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { keysOf } from '../../tables/specs.ts';
import {
  type Change,
  type Key,
  type Query,
  type Reason,
  type Row,
  type Store,
  StoreFault,
  type StoreTable,
  type TransactionCancelled,
  type Write,
  type WriteOptions,
  type WriteOutcome,
} from '../../tables/store.ts';
import { batchGet, keyText, maxKeys } from './batch-get.ts';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from './commands.ts';
import { Expressions } from './expressions.ts';
import { groupedReads } from './grouped-reads.ts';
import { fromItem, type Item, toItem } from './items.ts';

interface DynamoStoreOptions {
  readonly client: DynamoDBClient;
  /** The name of each table in this deployment. */
  readonly tables: Readonly<Partial<Record<StoreTable, string>>>;
  readonly pause?: (ms: number) => Promise<void>;
}

/** DynamoDB accepts 25 rows per request. */
const batchWriteSize = 25;
const maxBatchWrites = 6;
const maxInProgress = 6;
const inProgressMs = 50;

export function dynamoStore({ client, tables, pause = sleep }: DynamoStoreOptions): Store {
  const grouped = new Map<StoreTable, (key: Item) => Promise<Item | undefined>>();

  const nameOf = (table: StoreTable): string => {
    const name = tables[table];
    if (name === undefined) throw new Error(`This deployment has no table ${table}.`);
    return name;
  };

  const getItem = async (table: StoreTable, Key: Item, stale: boolean): Promise<Item | undefined> =>
    (await client.send(new GetItemCommand({ TableName: nameOf(table), Key, ConsistentRead: !stale }))).Item;

  async function getItems(table: StoreTable, keys: readonly Item[]): Promise<readonly Item[]> {
    const name = nameOf(table);
    const found = await batchGet({ client, pause, consistent: true }, new Map([[name, keys]]));
    return found.get(name) ?? [];
  }

  /** Returns a table's reader, which combines reads of several keys into one request. */
  function readerOf(table: StoreTable): (key: Item) => Promise<Item | undefined> {
    const known = grouped.get(table);
    if (known) return known;
    const made = groupedReads({
      one: (key) => getItem(table, key, false),
      many: (keys) => getItems(table, keys),
    });
    grouped.set(table, made);
    return made;
  }

  const store: Store = {
    async get<R extends object>(
      table: StoreTable,
      key: Key,
      { stale = false, together = false }: { stale?: boolean; together?: boolean } = {},
    ) {
      const Key = toItem(key);
      const item = await outcomeOfSend(together ? readerOf(table)(Key) : getItem(table, Key, stale));
      return item && fromItem<R>(item);
    },

    async getMany<R extends object>(
      reads: readonly (readonly [StoreTable, Key])[],
      { stale = false, once = false }: { stale?: boolean; once?: boolean } = {},
    ) {
      const items = reads.map(([table, key]) => ({ table: nameOf(table), key: toItem(key) }));
      const distinct = [...new Map(items.map((each) => [each.table + keyText(each.key, each.key), each])).values()];
      const groups: (typeof distinct)[] = [];
      for (let i = 0; i < distinct.length; i += maxKeys) groups.push(distinct.slice(i, i + maxKeys));
      const answers = await outcomeOfSend(
        Promise.all(
          groups.map((group) => {
            const byTable = Map.groupBy(group, ({ table }) => table);
            const keys = new Map([...byTable].map(([table, each]) => [table, each.map(({ key }) => key)]));
            return batchGet({ client, pause, consistent: !stale, ...(once && { rounds: 1 }) }, keys);
          }),
        ),
      );
      const keyOfTable = new Map(items.map(({ table, key }) => [table, key]));
      const found = new Map<string, Item>();
      for (const answer of answers)
        for (const [table, rows] of answer)
          for (const item of rows) found.set(table + keyText(item, keyOfTable.get(table)!), item);
      return items.map(({ table, key }) => {
        const item = found.get(table + keyText(key, key));
        return item && fromItem<R>(item);
      });
    },

    async query<R extends object>(table: StoreTable, query: Query) {
      const { index, order = 'ascending', limit, after, filter, only, stale = false } = query;
      const expressions = new Expressions();
      const input = {
        TableName: nameOf(table),
        KeyConditionExpression: expressions.key(keysOf(table, index), query),
        ...(filter && { FilterExpression: expressions.condition(filter) }),
        ...(only && { ProjectionExpression: expressions.projection(only) }),
        ...(index !== undefined && { IndexName: index }),
        ...(index === undefined && !stale && { ConsistentRead: true }),
        ...(order === 'descending' && { ScanIndexForward: false }),
        ...(limit !== undefined && { Limit: limit }),
        ...(after && { ExclusiveStartKey: toItem(after) }),
        ...expressions.parameters(),
      };
      const { Items = [], LastEvaluatedKey } = await outcomeOfSend(client.send(new QueryCommand(input)));
      return {
        rows: Items.map((item) => fromItem<R>(item)),
        ...(LastEvaluatedKey && { next: fromItem<Key>(LastEvaluatedKey) }),
      };
    },

    async put<R extends object>(table: StoreTable, row: Row, options: WriteOptions = {}) {
      return outcome<R>(client.send(new PutItemCommand(putOf(table, row, options))));
    },

    async putMany(table, rows) {
      const requests = rows.map((row): WriteRequest => ({ PutRequest: { Item: toItem(row) } }));
      for (let i = 0; i < requests.length; i += batchWriteSize)
        await writeBatch(table, requests.slice(i, i + batchWriteSize));
    },

    async update<R extends object>(
      table: StoreTable,
      key: Key,
      change: Change,
      { after = false, ...options }: WriteOptions & { after?: boolean } = {},
    ) {
      const input = updateOf(table, key, change, options);
      return outcome<R>(
        client.send(new UpdateItemCommand({ ...input, ...(after && { ReturnValues: 'ALL_NEW' as const }) })),
      );
    },

    async remove(table, key, options = {}) {
      if (options.if)
        return outcome(
          client.send(new DeleteItemCommand({ TableName: nameOf(table), Key: toItem(key), ...conditionOf(options) })),
        );
      // Roles that may not delete conditionally may remove rows this way.
      await writeBatch(table, [{ DeleteRequest: { Key: toItem(key) } }]);
      return { written: true };
    },

    async transact(writes) {
      const TransactItems = writes.map(itemOf);
      // A lost request is repeated with the same token, so that it is carried out once.
      const command = new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: randomUUID() });
      for (let tries = 1; ; tries++) {
        try {
          await client.send(command);
          return 'written';
        } catch (cause) {
          const cancelled = cancelledBy(cause);
          if (cancelled) return cancelled;
          if (!isErrorNamed(cause, 'TransactionInProgressException') || tries === maxInProgress)
            throw storeFault(cause);
          await pause(inProgressMs * tries);
        }
      }
    },
  };
  return store;

  async function writeBatch(table: StoreTable, requests: readonly WriteRequest[]): Promise<void> {
    const name = nameOf(table);
    let left = [...requests];
    for (let attempt = 1; left.length > 0; attempt++) {
      const command = new BatchWriteItemCommand({ RequestItems: { [name]: left } });
      const { UnprocessedItems } = await outcomeOfSend(client.send(command));
      left = UnprocessedItems?.[name] ?? [];
      if (left.length > 0 && attempt === maxBatchWrites) throw new Error(`${name} did not accept ${left.length} rows`);
      if (left.length > 0) await pause(Math.random() * 10 * 2 ** attempt);
    }
  }

  function itemOf(write: Write): TransactWriteItem {
    return 'put' in write
      ? { Put: putOf(write.put, write.row, write) }
      : { Update: updateOf(write.update, write.key, write.change, write) };
  }

  function putOf(table: StoreTable, row: Row, options: WriteOptions) {
    return { TableName: nameOf(table), Item: toItem(row), ...conditionOf(options) };
  }

  function updateOf(table: StoreTable, key: Key, change: Change, options: WriteOptions) {
    const expressions = new Expressions();
    const UpdateExpression = expressions.change(change);
    return { TableName: nameOf(table), Key: toItem(key), UpdateExpression, ...conditionOf(options, expressions) };
  }
}

function conditionOf(options: WriteOptions, expressions = new Expressions()) {
  const condition = options.if && { ConditionExpression: expressions.condition(options.if) };
  return {
    ...condition,
    ...expressions.parameters(),
    ...(options.current && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
  };
}

/** Returns a write's outcome. An unmet condition is not a fault. */
async function outcome<R extends object = Row>(
  sent: Promise<{ readonly Attributes?: Item | undefined }>,
): Promise<WriteOutcome<R>> {
  try {
    const { Attributes } = await sent;
    return { written: true, ...(Attributes && { row: fromItem<R>(Attributes) }) };
  } catch (cause) {
    if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeFault(cause);
    const { Item } = cause as { Item?: Item };
    return { written: false, ...(Item && { row: fromItem<R>(Item) }) };
  }
}

async function outcomeOfSend<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (cause) {
    throw storeFault(cause);
  }
}

function storeFault(cause: unknown): StoreFault {
  if (isErrorNamed(cause, 'ValidationException')) return new StoreFault(cause, 'input');
  const busy = isErrorNamed(cause, 'TransactionConflictException', 'TransactionInProgressException');
  return new StoreFault(cause, busy ? 'busy' : 'other');
}

const codes: Readonly<Record<string, Reason['code']>> = {
  None: 'none',
  ConditionalCheckFailed: 'condition',
  TransactionConflict: 'busy',
};

/** Returns the reasons for a cancellation, or undefined for any other fault. */
function cancelledBy(cause: unknown): TransactionCancelled | undefined {
  if (!isErrorNamed(cause, 'TransactionCanceledException')) return undefined;
  const { CancellationReasons } = cause as { CancellationReasons?: readonly { Code?: string; Item?: Item }[] };
  return (
    CancellationReasons && {
      reasons: CancellationReasons.map(({ Code = 'None', Item }) => ({
        code: codes[Code] ?? 'fault',
        ...(Item && { row: fromItem(Item) }),
      })),
    }
  );
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
