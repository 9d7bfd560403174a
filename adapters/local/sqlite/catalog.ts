/**
 * The tables of a database. Each table's key definition is recorded with its rows, because rows stored under other keys
 * would not be found.
 */
import type { TableSpec } from '#core/contracts/tables.ts';
import type { StoreTable } from '../../tables/store.ts';
import type { Database } from './database.ts';
import { storeFormat } from './file-format.ts';
import { creationOf, type Definition, Table } from './table.ts';

interface RecordedTable {
  readonly number: number;
  readonly name: string;
  readonly definition: string;
}

type Specs = Readonly<Record<StoreTable, TableSpec>>;

/** Opens every table and creates the missing ones. @throws Error with a one-line message for tables with other keys */
export function openTables(db: Database, specs: Specs): Map<StoreTable, Table> {
  const tables = new Map<StoreTable, Table>();
  inTransaction(db, () => {
    const { user_version: format } = db.statement('PRAGMA user_version').get() as { user_version: number };
    if (format === 0)
      db.exec(`
        CREATE TABLE tables (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL);
        PRAGMA user_version = ${storeFormat};
      `);
    const recorded = db.statement('SELECT number, name, definition FROM tables').all() as unknown as RecordedTable[];
    const known = new Map(recorded.map((each) => [each.name, each]));
    let last = Math.max(0, ...recorded.map(({ number }) => number));
    for (const [name, spec] of Object.entries(specs) as [StoreTable, TableSpec][]) {
      const found = known.get(name);
      const definition = found ? (JSON.parse(found.definition) as Definition) : create(db, ++last, name, spec);
      assertSameKeys(name, definition, spec);
      tables.set(name, new Table(db, { name, ...definition }, `items_${found?.number ?? last}`));
    }
  });
  return tables;
}

function create(db: Database, number: number, name: string, spec: TableSpec): Definition {
  const { partitionKey, sortKey, indexes = [] } = spec;
  const definition = { partitionKey, ...(sortKey !== undefined && { sortKey }), indexes };
  db.exec(creationOf(`items_${number}`, spec));
  db.statement('INSERT INTO tables VALUES (?, ?, ?)').run(number, name, JSON.stringify(definition));
  return definition;
}

function assertSameKeys(table: string, recorded: Definition, spec: TableSpec): void {
  const [found, needed] = [keysIn(recorded), keysIn(spec)];
  if (found === needed) return;
  throw new Error(`its table ${table} has the keys ${found}, and this version reads only ${needed}`);
}

/** Returns a string such as `id; by_opened KEYS_ONLY opened_in, opened`. */
function keysIn({ indexes = [], ...keys }: Definition): string {
  const names = ({ partitionKey, sortKey }: Omit<Definition, 'indexes'>) =>
    [partitionKey, ...(sortKey === undefined ? [] : [sortKey])].join(', ');
  return [names(keys), ...indexes.map((index) => `${index.name} ${index.projection} ${names(index)}`).sort()].join(
    '; ',
  );
}

/** Applies either all changes or none. */
function inTransaction(db: Database, work: () => void): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    work();
    db.exec('COMMIT');
  } catch (cause) {
    db.exec('ROLLBACK');
    throw cause;
  }
}
