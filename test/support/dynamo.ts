/** A DynamoDB-compatible server for one test file, in memory and in its own process. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '#adapters/aws/dynamodb/client.ts';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { createTables, type TableNames } from '#adapters/local/tables.ts';
import type { Store, StoreOptions } from '#adapters/tables/store.ts';
import { referenceBinary, startReference } from './dynoxide.ts';

export interface TestDynamo {
  /** Address for other processes. */
  readonly endpoint: string;
  /** Returns a new client each time. */
  client(): DynamoDBClient;
  /** Creates all tables of a store. A prefix keeps a file's tests separate. */
  createTables(prefix?: string): Promise<TableNames>;
  stop(): Promise<void>;
}

export const clientOf = (endpoint: string): DynamoDBClient =>
  dynamoClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 3,
  });

export async function startDynamo(): Promise<TestDynamo> {
  const binary = referenceBinary();
  if (!binary)
    throw new Error(`There is no server for ${process.platform}-${process.arch}: this test cannot run here.`);
  const server = await startReference(binary);
  const made: DynamoDBClient[] = [];
  const client = () => {
    const one = clientOf(server.endpoint);
    made.push(one);
    return one;
  };
  return {
    endpoint: server.endpoint,
    client,
    createTables: (prefix) => createTables(client(), prefix),
    stop: async () => {
      for (const one of made) one.destroy();
      server.stop();
    },
  };
}

/** Returns the options of a table adapter with a client, with the adapter's own timeouts. */
export const over = (client: DynamoDBClient, tables: Partial<TableNames>): StoreOptions => ({
  store: dynamoStore({ client, tables }),
});

/** Starts one server with its tables for all tests in a file; it is ready before the first test. */
export function useDynamo(): {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly store: Store;
  readonly server: TestDynamo;
} {
  let server: TestDynamo;
  let client: DynamoDBClient;
  let tables: TableNames;
  let store: Store;
  beforeAll(async () => {
    server = await startDynamo();
    client = server.client();
    tables = await server.createTables();
    store = dynamoStore({ client, tables });
  });
  afterAll(() => server.stop());
  return {
    get client() {
      return client;
    },
    get tables() {
      return tables;
    },
    get store() {
      return store;
    },
    get server() {
      return server;
    },
  };
}
