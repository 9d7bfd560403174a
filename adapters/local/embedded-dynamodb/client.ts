/**
 * The embedded store's client for the table adapters: does what `DynamoDBClient` does with a command, without a
 * request. It has only `send` and `destroy`, so none of the SDK's machinery is built or run.
 */
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ListTablesCommand,
  ScanCommand,
  TransactGetItemsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { rowOperations } from '../../dynamodb/operations.ts';
import type { EmbeddedStore } from './store.ts';

const operations = new Map<unknown, string>([
  ...rowOperations,
  [ScanCommand, 'Scan'],
  [TransactGetItemsCommand, 'TransactGetItems'],
  [CreateTableCommand, 'CreateTable'],
  [DescribeTableCommand, 'DescribeTable'],
  [DeleteTableCommand, 'DeleteTable'],
  [ListTablesCommand, 'ListTables'],
  [UpdateTimeToLiveCommand, 'UpdateTimeToLive'],
  [DescribeTimeToLiveCommand, 'DescribeTimeToLive'],
]);

const answered = { httpStatusCode: 200, attempts: 1 };

export function embeddedClient(store: EmbeddedStore): DynamoDBClient {
  const send = async (command: { readonly constructor: unknown; readonly input: object }): Promise<object> => {
    const operation = operations.get(command.constructor);
    if (operation === undefined)
      throw new Error(`The embedded store does not carry out ${(command.constructor as { name: string }).name}.`);
    const output = await store.execute(operation, command.input);
    return { $metadata: answered, ...output };
  };
  return { send, destroy: () => {} } as unknown as DynamoDBClient;
}
