/** A DynamoDB for one test file: the embedded server in memory, gone when stopped. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localDynamoClient, startDynamoProcess } from '#adapters/local/dynamodb-process.ts';
import { createTables } from '#adapters/local/tables.ts';
import type { TableName } from '#core/contracts/tables.ts';

export interface TestDynamo {
  readonly endpoint: string;
  /** A new client each time; all are closed by `stop`. */
  client(): DynamoDBClient;
  /** Creates all tables of `core/contracts/tables.ts`; a prefix keeps tests of one file apart. */
  createTables(prefix?: string): Promise<Record<TableName, string>>;
  stop(): Promise<void>;
}

export async function startDynamo(): Promise<TestDynamo> {
  const server = await startDynamoProcess();
  const clients: DynamoDBClient[] = [];
  const client = () => {
    const made = localDynamoClient(server.endpoint);
    clients.push(made);
    return made;
  };
  return {
    endpoint: server.endpoint,
    client,
    createTables: (prefix) => createTables(client(), prefix),
    stop: async () => {
      for (const made of clients) made.destroy();
      await server.stop();
    },
  };
}
