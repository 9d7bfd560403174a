/** A DynamoDB for one test file: the embedded store in memory, gone when stopped. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { embeddedClient } from '#adapters/local/embedded-dynamodb/client.ts';
import { openEmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import { createTables } from '#adapters/local/tables.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { serveStore } from './dynamo-server.ts';

export interface TestDynamo {
  /** Where other processes reach it. */
  readonly endpoint: string;
  /** A new client each time. */
  client(): DynamoDBClient;
  /** Creates all tables of `core/contracts/tables.ts`; a prefix keeps tests of one file apart. */
  createTables(prefix?: string): Promise<Record<TableName, string>>;
  stop(): Promise<void>;
}

export async function startDynamo(): Promise<TestDynamo> {
  const store = openEmbeddedStore();
  const server = await serveStore(store);
  return {
    endpoint: server.endpoint,
    client: () => embeddedClient(store),
    createTables: (prefix) => createTables(embeddedClient(store), prefix),
    stop: async () => {
      await server.stop();
      store.close();
    },
  };
}

/** One store with its tables for all tests of a file; there from the first test on. */
export function useDynamo(): {
  readonly client: DynamoDBClient;
  readonly tables: Record<TableName, string>;
  readonly server: TestDynamo;
} {
  let server: TestDynamo;
  let client: DynamoDBClient;
  let tables: Record<TableName, string>;
  beforeAll(async () => {
    server = await startDynamo();
    client = server.client();
    tables = await server.createTables();
  });
  afterAll(() => server.stop());
  return {
    get client() {
      return client;
    },
    get tables() {
      return tables;
    },
    get server() {
      return server;
    },
  };
}
