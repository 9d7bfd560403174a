/** Creates a store's tables on a DynamoDB-compatible server. Can be run repeatedly. */

import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ListTablesCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableSpec } from '#core/contracts/tables.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { storeTables } from '../tables/specs.ts';
import type { StoreTable } from '../tables/store.ts';

/** Physical names by logical name. */
export type TableNames = Readonly<Record<StoreTable, string>>;

const tableNames = (prefix: string): TableNames =>
  Object.fromEntries(Object.keys(storeTables).map((name) => [name, `${prefix}${name}`])) as Record<StoreTable, string>;

/**
 * Creates missing tables and returns the physical names, e.g. `gateway-evidence`.
 * @throws Error with a one-line message, before anything is created, if a table has other keys, because its rows could
 * not be found.
 */
export async function createTables(client: DynamoDBClient, prefix = 'gateway-'): Promise<TableNames> {
  const names = tableNames(prefix);
  const existing = await existingTables(client);
  const specs = Object.entries(storeTables).map(([name, spec]) => ({ physical: names[name as StoreTable], spec }));
  const [present, missing] = [true, false].map((is) => specs.filter(({ physical }) => existing.has(physical) === is));
  await Promise.all(present!.map(({ physical, spec }) => assertSameKeys(client, physical, spec)));
  await Promise.all(missing!.map(({ physical, spec }) => createTable(client, physical, spec)));
  return names;
}

/** Compares keys and indexes, which DynamoDB cannot change on an existing table. */
async function assertSameKeys(client: DynamoDBClient, physical: string, spec: TableSpec): Promise<void> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: physical }));
  const wanted = tableParams(physical, spec);
  const [found, expected] = [keysOf(Table ?? {}), keysOf(wanted)];
  if (found === expected) return;
  throw new Error(
    `the table ${physical} has the keys ${found}, and this version reads only ${expected}. ` +
      'Nothing was changed; use a server without these tables',
  );
}

type KeyDefinition = Pick<CreateTableCommandInput, 'KeySchema'>;

/** Returns a string such as `id; by_opened KEYS_ONLY opened_in, opened`. */
function keysOf(table: KeyDefinition & { GlobalSecondaryIndexes?: readonly IndexKeys[] | undefined }): string {
  const names = ({ KeySchema = [] }: KeyDefinition) =>
    [...KeySchema]
      .sort((a) => (a.KeyType === 'HASH' ? -1 : 1))
      .map(({ AttributeName }) => AttributeName)
      .join(', ');
  const indexes = (table.GlobalSecondaryIndexes ?? []).map(
    (index) => `${index.IndexName} ${index.Projection?.ProjectionType} ${names(index)}`,
  );
  return [names(table), ...indexes.sort()].join('; ');
}

interface IndexKeys extends KeyDefinition {
  readonly IndexName?: string | undefined;
  readonly Projection?: { readonly ProjectionType?: string | undefined } | undefined;
}

/** Creates one table. Succeeds if another caller has created it meanwhile. */
export async function createTable(client: DynamoDBClient, physical: string, spec: TableSpec): Promise<void> {
  try {
    const { TableDescription } = await client.send(new CreateTableCommand(tableParams(physical, spec)));
    if (TableDescription?.TableStatus !== 'ACTIVE')
      await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: physical });
  } catch (fault) {
    if (!isErrorNamed(fault, 'ResourceInUseException')) throw fault;
  }
  if (spec.ttl !== undefined) await enableTtl(client, physical, spec.ttl);
}

/** Returns the parameters, without the stream: a local run follows its own commits instead (commit-feed.ts). */
function tableParams(physical: string, spec: TableSpec): CreateTableCommandInput {
  const keys = [spec, ...(spec.indexes ?? [])].flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey]);
  const attributes = [...new Set(keys)].filter((key) => key !== undefined);
  return {
    TableName: physical,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema(spec.partitionKey, spec.sortKey),
    ...(spec.indexes && {
      GlobalSecondaryIndexes: spec.indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keySchema(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: index.projection },
      })),
    }),
  };
}

function keySchema(partitionKey: string, sortKey?: string): CreateTableCommandInput['KeySchema'] {
  const hash = { AttributeName: partitionKey, KeyType: 'HASH' } as const;
  return sortKey === undefined ? [hash] : [hash, { AttributeName: sortKey, KeyType: 'RANGE' }];
}

async function existingTables(client: DynamoDBClient): Promise<Set<string>> {
  const found = new Set<string>();
  let start: string | undefined;
  do {
    const page = await client.send(
      new ListTablesCommand(start === undefined ? {} : { ExclusiveStartTableName: start }),
    );
    for (const name of page.TableNames ?? []) found.add(name);
    start = page.LastEvaluatedTableName;
  } while (start !== undefined);
  return found;
}

/** Enables deletion by TTL, which only frees space; servers that do not support it work too. */
async function enableTtl(client: DynamoDBClient, physical: string, attribute: string): Promise<void> {
  try {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: physical,
        TimeToLiveSpecification: { AttributeName: attribute, Enabled: true },
      }),
    );
  } catch (fault) {
    if (!isErrorNamed(fault, 'ValidationException', 'UnknownOperationException')) throw fault;
  }
}
