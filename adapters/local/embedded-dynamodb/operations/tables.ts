/** Table operations: CreateTable, DescribeTable, ListTables, DeleteTable and the attribute of the time to live. */
import type { Catalog } from '../catalog.ts';
import { invalid, oneInvalid } from '../faults.ts';
import type { KeyAttribute, KeySchema, KeyType } from '../keys.ts';
import { onlyKnown } from '../request.ts';
import { type IndexDefinition, keyNames, type TableDefinition } from '../table.ts';

interface KeyElement {
  readonly AttributeName?: string;
  readonly KeyType?: string;
}

interface CreateTable {
  readonly TableName?: string;
  readonly BillingMode?: string;
  readonly AttributeDefinitions?: readonly { readonly AttributeName?: string; readonly AttributeType?: string }[];
  readonly KeySchema?: readonly KeyElement[];
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName?: string;
    readonly KeySchema?: readonly KeyElement[];
    readonly Projection?: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
  }[];
}

const known = new Set(['TableName', 'BillingMode', 'AttributeDefinitions', 'KeySchema', 'GlobalSecondaryIndexes']);
const nameForm = /^[\w.-]{3,255}$/;

export function createTable(catalog: Catalog, now: () => number, request: CreateTable): object {
  onlyKnown(request, 'CreateTable', known);
  const name = checkedName(request.TableName, 'tableName');
  const types = new Map(
    (request.AttributeDefinitions ?? []).map(({ AttributeName = '', AttributeType = '' }) => {
      if (!['S', 'N', 'B'].includes(AttributeType))
        throw invalid(`Value '${AttributeType}' at 'attributeType' failed to satisfy constraint: one of [B, N, S]`);
      return [AttributeName, AttributeType as KeyType];
    }),
  );
  const used = new Set<string>();
  const schema = (elements: readonly KeyElement[] | undefined): KeySchema => schemaOf(elements ?? [], types, used);
  const definition: TableDefinition = {
    name,
    keys: schema(request.KeySchema),
    indexes: (request.GlobalSecondaryIndexes ?? []).map((index): IndexDefinition => {
      const { ProjectionType: projection = 'ALL', NonKeyAttributes: include } = index.Projection ?? {};
      if (projection !== 'ALL' && projection !== 'KEYS_ONLY' && projection !== 'INCLUDE')
        throw oneInvalid(`Unknown ProjectionType: ${projection}`);
      const named = checkedName(index.IndexName, 'indexName');
      return { name: named, keys: schema(index.KeySchema), projection, ...(include && { include }) };
    }),
    createdAt: Math.floor(now() / 1000),
  };
  if (used.size !== types.size)
    throw oneInvalid(
      'Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions',
    );
  catalog.create(definition);
  return { TableDescription: described(definition) };
}

function schemaOf(elements: readonly KeyElement[], types: ReadonlyMap<string, KeyType>, used: Set<string>): KeySchema {
  const attribute = (element: KeyElement): KeyAttribute => {
    const name = element.AttributeName ?? '';
    const type = types.get(name);
    if (!type) throw oneInvalid(`Some index key attributes are not defined in AttributeDefinitions. Keys: [${name}]`);
    used.add(name);
    return { name, type };
  };
  const [first, second, ...rest] = elements;
  if (first?.KeyType !== 'HASH' || (second && second.KeyType !== 'RANGE') || rest.length > 0)
    throw invalid(
      'Invalid KeySchema: The first KeySchemaElement is not a HASH key type, or the second one is not RANGE',
    );
  return { partition: attribute(first), ...(second && { sort: attribute(second) }) };
}

function checkedName(name: string | undefined, parameter: string): string {
  if (name === undefined || !nameForm.test(name))
    throw invalid(
      `Value '${name}' at '${parameter}' failed to satisfy constraint: 3 to 255 of a-z, A-Z, 0-9, '_', '-' and '.'`,
    );
  return name;
}

export const describeTable = (catalog: Catalog, request: { readonly TableName?: string }): object => ({
  Table: described(catalog.table(request.TableName).definition),
});

export const deleteTable = (catalog: Catalog, request: { readonly TableName?: string }): object => ({
  TableDescription: { ...described(catalog.drop(request.TableName).definition), TableStatus: 'DELETING' },
});

const maxNames = 100;

export function listTables(
  catalog: Catalog,
  request: { readonly ExclusiveStartTableName?: string; readonly Limit?: number },
): object {
  const { ExclusiveStartTableName: start = '', Limit: limit = maxNames } = request;
  const behind = catalog.names.filter((name) => name > start);
  const TableNames = behind.slice(0, limit);
  return { TableNames, ...(behind.length > limit && { LastEvaluatedTableName: TableNames.at(-1) }) };
}

interface TimeToLive {
  readonly TableName?: string;
  readonly TimeToLiveSpecification?: { readonly AttributeName?: string; readonly Enabled?: boolean };
}

export function updateTimeToLive(catalog: Catalog, request: TimeToLive): object {
  const { AttributeName: attribute, Enabled: enabled } = request.TimeToLiveSpecification ?? {};
  if (!attribute || enabled === undefined) throw invalid('TimeToLiveSpecification needs AttributeName and Enabled');
  const { ttl } = catalog.table(request.TableName).definition;
  if (enabled && ttl === attribute) throw invalid('TimeToLive is already enabled');
  catalog.setTtl(request.TableName, enabled ? attribute : undefined);
  return { TimeToLiveSpecification: { AttributeName: attribute, Enabled: enabled } };
}

export function describeTimeToLive(catalog: Catalog, request: { readonly TableName?: string }): object {
  const { ttl } = catalog.table(request.TableName).definition;
  return {
    TimeToLiveDescription: ttl ? { TimeToLiveStatus: 'ENABLED', AttributeName: ttl } : { TimeToLiveStatus: 'DISABLED' },
  };
}

function described({ name, keys, indexes, createdAt }: TableDefinition): object {
  const attributes = new Map(
    [keys, ...indexes.map((index) => index.keys)]
      .flatMap(({ partition, sort }) => (sort ? [partition, sort] : [partition]))
      .map((key) => [key.name, key.type]),
  );
  return {
    TableName: name,
    TableStatus: 'ACTIVE',
    CreationDateTime: new Date(createdAt * 1000),
    TableArn: `arn:aws:dynamodb:local:000000000000:table/${name}`,
    BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    AttributeDefinitions: [...attributes].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    KeySchema: keySchema(keys),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        IndexStatus: 'ACTIVE',
        KeySchema: keySchema(index.keys),
        Projection: {
          ProjectionType: index.projection,
          ...(index.include && { NonKeyAttributes: index.include }),
        },
      })),
    }),
  };
}

const keySchema = (keys: KeySchema): object[] =>
  keyNames(keys).map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' }));
