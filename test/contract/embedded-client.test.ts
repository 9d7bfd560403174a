/** The clients that leave out the SDK's middleware, in the process and over HTTP, answer as the SDK's own client does. */
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '#adapters/dynamodb/client.ts';
import { dynamo } from '../support/grouped-store.ts';
import type { Loose } from '../support/loose.ts';

const configured = () => ({
  endpoint: dynamo.server.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});

const clients: [requirement: string, client: () => DynamoDBClient][] = [
  ['[store.embedded] the embedded client', () => dynamo.client],
  ['[cloud.store-client] the client of the functions', () => dynamoClient(configured())],
];

describe.each(clients)('%s answers as the SDK does over HTTP', (_requirement, clientOf) => {
  const TableName = () => dynamo.tables.credentials;
  const key = (id: string) => ({ kept_in: { S: 'short' }, id: { S: id } });
  const everyType = {
    S: { S: 'ü\u0000"\ud83d\ude00' },
    N: { N: '1.5' },
    yes: { BOOL: true },
    nothing: { NULL: true },
    L: { L: [{ S: '' }, { N: '-0.1' }, { M: {} }] },
    M: { M: { B: { S: 'named B' }, BS: { L: [{ S: 'named BS' }] } } },
    SS: { SS: ['a', 'b'] },
    NS: { NS: ['1', '2'] },
    B: { B: new Uint8Array([0, 255, 10]) },
    BS: { BS: [new Uint8Array([1]), new Uint8Array([2])] },
  };
  const commands: [name: string, of: () => Loose][] = [
    [
      'PutItem of every type',
      () => new PutItemCommand({ TableName: TableName(), Item: { ...key('all'), ...everyType } }),
    ],
    ['GetItem of every type', () => new GetItemCommand({ TableName: TableName(), Key: key('all') })],
    ['GetItem of nothing', () => new GetItemCommand({ TableName: TableName(), Key: key('none') })],
    [
      'Query',
      () =>
        new QueryCommand({
          TableName: TableName(),
          KeyConditionExpression: 'kept_in = :t',
          ExpressionAttributeValues: { ':t': { S: 'short' } },
          Limit: 1,
        }),
    ],
    [
      'BatchGetItem',
      () => new BatchGetItemCommand({ RequestItems: { [TableName()]: { Keys: [key('all'), key('none')] } } }),
    ],
    [
      'UpdateItem',
      () =>
        new UpdateItemCommand({
          TableName: TableName(),
          Key: key('all'),
          UpdateExpression: 'SET #a = :a',
          ExpressionAttributeNames: { '#a': 'a' },
          ExpressionAttributeValues: { ':a': { S: 'b' } },
          ReturnValues: 'ALL_NEW',
        }),
    ],
    [
      'a condition that fails, with the item',
      () =>
        new UpdateItemCommand({
          TableName: TableName(),
          Key: key('all'),
          UpdateExpression: 'SET a = :a',
          ConditionExpression: 'a = :none',
          ExpressionAttributeValues: { ':a': { S: 'c' }, ':none': { S: 'none' } },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
    ],
    [
      'TransactWriteItems cancelled, with reasons',
      () =>
        new TransactWriteItemsCommand({
          TransactItems: [
            { Put: { TableName: TableName(), Item: key('new') } },
            {
              Put: {
                TableName: TableName(),
                Item: key('all'),
                ConditionExpression: 'attribute_not_exists(kept_in)',
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
              },
            },
          ],
        }),
    ],
    [
      'TransactWriteItems',
      () => new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: TableName(), Item: key('new') } }] }),
    ],
    ['a malformed call', () => new GetItemCommand({ TableName: TableName(), Key: {} })],
    ['an unknown table', () => new GetItemCommand({ TableName: 'nothing', Key: key('all') })],
    ['DeleteItem', () => new DeleteItemCommand({ TableName: TableName(), Key: key('new') })],
    [
      'PutItem of a Buffer',
      () => new PutItemCommand({ TableName: TableName(), Item: { ...key('new'), B: { B: Buffer.from('bytes') } } }),
    ],
    [
      'BatchWriteItem',
      () =>
        new BatchWriteItemCommand({
          RequestItems: { [TableName()]: [{ PutRequest: { Item: { ...key('new'), ...everyType } } }] },
        }),
    ],
    ['Scan', () => new ScanCommand({ TableName: TableName(), ReturnConsumedCapacity: 'TOTAL' })],
    [
      'TransactGetItems',
      () => new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName: TableName(), Key: key('all') } }] }),
    ],
    ['an operation on a table', () => new DescribeTimeToLiveCommand({ TableName: TableName() })],
  ];

  const told = async (asked: DynamoDBClient, command: never) => {
    try {
      const { $metadata, ...answer } = (await asked.send(command)) as { $metadata: { httpStatusCode: number } };
      return { status: $metadata.httpStatusCode, answer };
    } catch (thrown) {
      const { name, message, $fault, $metadata, Item, CancellationReasons } = thrown as Record<string, never>;
      const kind = (thrown as Error).constructor.name;
      return {
        status: ($metadata as unknown as { httpStatusCode: number }).httpStatusCode,
        kind,
        name,
        message,
        $fault,
        Item,
        CancellationReasons,
      };
    }
  };

  /** What each command finds, whichever was tested before. */
  beforeEach(async () => {
    await dynamo.client.send(new PutItemCommand({ TableName: TableName(), Item: { ...key('all'), ...everyType } }));
    await dynamo.client.send(new DeleteItemCommand({ TableName: TableName(), Key: key('new') }));
  });

  test.each(commands)('%s', async (_, command) => {
    const reference = new DynamoDBClient(configured());
    const expected = await told(reference, command() as never);
    reference.destroy();
    const client = clientOf();
    // The first request of a client of the functions goes the way of the SDK.
    await client.send(new GetItemCommand({ TableName: TableName(), Key: key('none') }));
    expect(await told(client, command() as never)).toEqual(expected);
    client.destroy();
  });
});
