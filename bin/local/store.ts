/**
 * The store of the local run: a SQLite database in one file of the state folder, or a DynamoDB-compatible server set by
 * an option.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionStore } from '#adapters/local/asl/execution.ts';
import { executionsTable } from '#adapters/local/asl/executions-table.ts';
import { objectsTable } from '#adapters/local/objects-table.ts';
import { openStore as openDatabase } from '#adapters/local/sqlite/store.ts';
import type { Store } from '#adapters/tables/store.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import type { Durability } from './flags.ts';

export interface LocalStore {
  readonly store: Store;
  readonly executions: ExecutionStore;
  /** Whether other processes may also write to it. */
  readonly shared: boolean;
  /** Bodies that those processes also read; absent if this process is the only user of the store. */
  readonly objects?: ObjectStore;
  stop(): Promise<void>;
}

interface StoreFlags {
  readonly stateFolder: string;
  /** `full` syncs each group of writes, which then also survives a power cut. */
  readonly durability: Durability;
}

export async function openStore(
  { stateFolder, durability }: StoreFlags,
  environment: NodeJS.ProcessEnv,
): Promise<LocalStore> {
  const endpoint = environment.DYNAMODB_ENDPOINT;
  const shared = endpoint !== undefined && endpoint !== '';
  const { store, close } = shared ? await openDynamo(endpoint) : inFile(stateFolder, durability);
  return {
    store,
    executions: executionsTable({ store }),
    shared,
    ...(shared && { objects: objectsTable({ store }) }),
    stop: async () => close(),
  };
}

interface OpenStore {
  readonly store: Store;
  readonly close: () => void;
}

/** Loads the SDK, which a gateway that stores its data in a file does not need. */
async function openDynamo(endpoint: string): Promise<OpenStore> {
  const [{ dynamoStore }, { endpointClient }, { createTables }] = await Promise.all([
    import('#adapters/aws/dynamodb/store.ts'),
    import('#adapters/local/endpoint-client.ts'),
    import('#adapters/local/tables.ts'),
  ]);
  const client = endpointClient(endpoint);
  try {
    return { store: dynamoStore({ client, tables: await createTables(client) }), close: () => client.destroy() };
  } catch (cause) {
    client.destroy();
    throw new Error(`The server at DYNAMODB_ENDPOINT=${endpoint} cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function inFile(folder: string, durability: Durability): OpenStore {
  const path = join(folder, 'store.db');
  const unread = join(folder, 'dynamodb.db');
  if (existsSync(unread) && !existsSync(path)) throw refusal(unread, 'it is not the store of this version');
  try {
    const store = openDatabase({ path, syncs: durability === 'full' });
    return { store, close: () => store.close() };
  } catch (cause) {
    throw refusal(path, (cause as Error).message, { cause });
  }
}

const refusal = (path: string, why: string, options?: ErrorOptions): Error =>
  new Error(
    `The store ${path} cannot be opened: ${why}. ` +
      'Nothing was changed; name another state folder with --state, or put back a copy of the file.',
    options,
  );
