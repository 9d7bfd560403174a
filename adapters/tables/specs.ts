/** Keys and indexes of every table in a store: the tables in the contracts, and two that exist only in local runs. */
import type { TableSpec } from '#core/contracts/tables.ts';
import { tables } from '#features/tables.ts';
import type { StoreTable } from './store.ts';

const executions: TableSpec = {
  holds: 'executions of state machines in the local run: place, input, variables, timers',
  partitionKey: 'id',
  ttl: 'ttl',
  indexes: [{ name: 'by_status', partitionKey: 'machine_status', sortKey: 'started', projection: 'KEYS_ONLY' }],
};

const objects: TableSpec = {
  holds: 'bodies by SHA-256 of gateways that share a store: policy versions, modules, large results',
  partitionKey: 'sha256',
  sortKey: 'part',
};

export const storeTables: Readonly<Record<StoreTable, TableSpec>> = { ...tables, executions, objects };

export interface KeyNames {
  readonly partitionKey: string;
  readonly sortKey?: string;
}

/** Returns the key names of a table, or of one of its indexes. @throws Error for an unknown index */
export function keysOf(table: StoreTable, index?: string): KeyNames {
  const spec = storeTables[table];
  const found = index === undefined ? spec : spec.indexes?.find(({ name }) => name === index);
  if (!found) throw new Error(`The table ${table} has no index ${index}.`);
  return found;
}
