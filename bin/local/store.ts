/**
 * The store of the local run: the embedded DynamoDB over one file of the state folder, or the server given by option.
 */
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ExecutionStore } from '#adapters/local/asl/execution.ts';
import { executionsSpec, executionsTable } from '#adapters/local/asl/executions-table.ts';
import { embeddedClient } from '#adapters/local/embedded-dynamodb/client.ts';
import { importFormerStore } from '#adapters/local/embedded-dynamodb/import-former.ts';
import { type EmbeddedStore, openEmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import { endpointClient } from '#adapters/local/endpoint-client.ts';
import { objectsSpec, objectsTable } from '#adapters/local/objects-table.ts';
import { createTable, createTables, type TableNames } from '#adapters/local/tables.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import { progressOf } from '../progress.ts';
import type { Durability } from './flags.ts';

export interface LocalStore {
  readonly client: DynamoDBClient;
  readonly tables: TableNames;
  readonly executions: ExecutionStore;
  /** Whether other processes may also write to it. */
  readonly shared: boolean;
  /** Bodies that those processes also read; absent if one process uses the store alone. */
  readonly objects?: ObjectStore;
  stop(): Promise<void>;
}

interface StoreFlags {
  readonly stateFolder: string;
  /** `full` syncs each group of writes, which then also survives the end of the machine. */
  readonly durability: Durability;
}

export async function openStore(
  { stateFolder, durability }: StoreFlags,
  environment: NodeJS.ProcessEnv,
  report: (message: string) => void,
): Promise<LocalStore> {
  const endpoint = environment.DYNAMODB_ENDPOINT;
  const { client, close } = endpoint ? served(endpoint) : await embedded(stateFolder, durability, report);
  try {
    const shared = endpoint !== undefined && endpoint !== '';
    const [tables] = await Promise.all([
      createTables(client),
      createTable(client, executionsName, executionsSpec),
      shared && createTable(client, objectsName, objectsSpec),
    ]);
    return {
      client,
      tables,
      executions: executionsTable(client, executionsName),
      shared,
      ...(shared && { objects: objectsTable(client, objectsName) }),
      stop: async () => close(),
    };
  } catch (cause) {
    close();
    if (!endpoint) throw cause;
    throw new Error(`The server at DYNAMODB_ENDPOINT=${endpoint} does not serve: ${(cause as Error).message}`, {
      cause,
    });
  }
}

interface Opened {
  readonly client: DynamoDBClient;
  readonly close: () => void;
}

function served(endpoint: string): Opened {
  const client = endpointClient(endpoint);
  return { client, close: () => client.destroy() };
}

async function embedded(folder: string, durability: Durability, report: (message: string) => void): Promise<Opened> {
  const path = join(folder, 'store.db');
  const progress = progressOf('items of the earlier store');
  const imported = await importFormerStore(join(folder, 'dynamodb.db'), path, (items) => progress.set(items)).finally(
    () => progress.end(),
  );
  if (imported !== undefined) report(`The store of an earlier release was taken over: ${imported} items.`);
  const store = opened(path, durability);
  return { client: embeddedClient(store), close: () => store.close() };
}

function opened(path: string, durability: Durability): EmbeddedStore {
  try {
    return openEmbeddedStore({ path, syncs: durability === 'full' });
  } catch (cause) {
    throw new Error(
      `The store ${path} cannot be opened: ${(cause as Error).message}. ` +
        'Nothing was changed; name another state folder with --state, or put back a copy of the file.',
      { cause },
    );
  }
}

const executionsName = 'gateway-executions';
const objectsName = 'gateway-objects';
