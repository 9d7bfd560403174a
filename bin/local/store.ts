/** The store of the local run: the embedded DynamoDB over one file of the state folder, or the server named. */
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ExecutionStore } from '#adapters/local/asl/execution.ts';
import { executionsSpec, executionsTable } from '#adapters/local/asl/executions-table.ts';
import { localDynamoClient, startDynamoProcess } from '#adapters/local/dynamodb-process.ts';
import { createTable, createTables, type TableNames } from '#adapters/local/tables.ts';

export interface LocalStore {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly executions: ExecutionStore;
  /** Whether other processes may write to it as well. */
  readonly shared: boolean;
  stop(): Promise<void>;
}

export async function openStore(
  stateFolder: string,
  environment: NodeJS.ProcessEnv,
  report: (message: string) => void,
): Promise<LocalStore> {
  const given = environment.DYNAMODB_ENDPOINT;
  const server = given ? undefined : await startDynamoProcess({ dbPath: join(stateFolder, 'dynamodb.db'), report });
  const endpoint = server?.endpoint ?? given ?? '';
  const client = localDynamoClient(endpoint);
  try {
    const [tables] = await Promise.all([createTables(client), createTable(client, executionsName, executionsSpec)]);
    return {
      client,
      tables,
      executions: executionsTable(client, executionsName),
      shared: server === undefined,
      stop: async () => {
        client.destroy();
        await server?.stop();
      },
    };
  } catch (cause) {
    client.destroy();
    await server?.stop();
    if (!given) throw cause;
    throw new Error(`The server at DYNAMODB_ENDPOINT=${given} does not serve: ${(cause as Error).message}`, { cause });
  }
}

const executionsName = 'gateway-executions';
