/**
 * The tables of a database. Each table's key definition is recorded with its rows, because rows stored under other keys
 * would not be found.
 */
import type { TableSpec } from '#core/contracts/tables.ts';
import { fromItem, type Item } from '../../aws/dynamodb/items.ts';
import { fromWire } from '../../aws/dynamodb/wire.ts';
import type { StoreTable } from '../../tables/store.ts';
import type { Database } from './database.ts';
import { rowText } from './row-text.ts';
import { creationOf, type Definition, Table } from './table.ts';

/**
 * Version of the file format: 1 held DynamoDB items as text, 2 held whole rows, and 3 holds rows without their keys,
 * and orders marks of counted entries by time. Later versions are refused.
 */
const storeFormat = 3;

interface RecordedTable {
  readonly number: number;
  readonly name: string;
  readonly definition: string;
}

type Specs = Readonly<Record<StoreTable, TableSpec>>;

/**
 * Opens every table and creates the missing ones. @throws Error with a one-line message for a file with another format
 * or other keys
 */
export function openTables(db: Database, specs: Specs, onRows?: (done: number) => void): Map<StoreTable, Table> {
  const { user_version: format } = db.statement('PRAGMA user_version').get() as { user_version: number };
  if (format > storeFormat) throw new Error(`its format is ${format}, this release reads format ${storeFormat}`);
  if (format === 1 || format === 2)
    inTransaction(db, () => {
      if (format === 1) takeOver(db, onRows);
      orderMarks(db);
      db.exec(`PRAGMA user_version = ${storeFormat}`);
    });
  if (format === 0)
    db.exec(`
      CREATE TABLE IF NOT EXISTS tables (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL);
      PRAGMA user_version = ${storeFormat};
    `);
  const recorded = db.statement('SELECT number, name, definition FROM tables').all() as unknown as RecordedTable[];
  const known = new Map(recorded.map((each) => [each.name, each]));
  let last = Math.max(0, ...recorded.map(({ number }) => number));
  const tables = new Map<StoreTable, Table>();
  inTransaction(db, () => {
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
  throw new Error(
    `its table ${table} was made by another release: found ${found}, this release needs ${needed}. ` +
      'Move the state folder away or name another with --state; the release that made it still reads it',
  );
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

interface FormerKeys {
  readonly partition: { readonly name: string };
  readonly sort?: { readonly name: string };
}

/** A table's definition as the previous release recorded it. */
interface FormerDefinition {
  readonly keys: FormerKeys;
  readonly indexes: readonly { readonly name: string; readonly keys: FormerKeys; readonly projection: string }[];
}

const prefix = 'gateway-';
const groupRows = 500;

/** Converts all tables. @param onRows called after each group with the number of rows so far */
function takeOver(db: Database, onRows?: (done: number) => void): void {
  const tables = db.statement('SELECT number, name, definition FROM tables').all() as unknown as {
    readonly number: number;
    readonly name: string;
    readonly definition: string;
  }[];
  let done = 0;
  for (const { number, name, definition } of tables) {
    const rows = `items_${number}`;
    const page = db.statement(`SELECT rowid, item FROM ${rows} WHERE rowid > ? ORDER BY rowid LIMIT ${groupRows}`);
    const update = db.statement(`UPDATE ${rows} SET item = ? WHERE rowid = ?`);
    for (let last = -1, more = true; more; ) {
      const found = page.all(last) as unknown as { readonly rowid: number; readonly item: string }[];
      for (const { rowid, item } of found) update.run(rowText(fromItem(fromWire(item) as Item)), rowid);
      last = found.at(-1)?.rowid ?? last;
      more = found.length === groupRows;
      done += found.length;
      onRows?.(done);
    }
    db.statement('UPDATE tables SET name = ?, definition = ? WHERE number = ?').run(
      name.startsWith(prefix) ? name.slice(prefix.length) : name,
      JSON.stringify(definitionOf(JSON.parse(definition) as FormerDefinition)),
      number,
    );
  }
}

/** Rekeys the marks of counted entries by time, as `claimPuts` now writes them. */
function orderMarks(db: Database): void {
  const found = db.statement("SELECT number FROM tables WHERE name = 'observations'").get();
  if (!found) return;
  db.exec(`
    UPDATE items_${found.number} SET pk = 'seen', sk = (item ->> '$.ttl') || '#' || substr(pk, 6)
    WHERE pk >= 'seen#' AND pk < 'seen$' AND sk = 'seen' AND (item ->> '$.ttl') IS NOT NULL
  `);
}

const keyNamesOf = ({ partition, sort }: FormerKeys) => ({ partitionKey: partition.name, sortKey: sort?.name });

const definitionOf = ({ keys, indexes }: FormerDefinition): Definition =>
  ({
    ...keyNamesOf(keys),
    indexes: indexes.map(({ name, projection, keys }) => ({ name, projection, ...keyNamesOf(keys) })),
  }) as Definition;
