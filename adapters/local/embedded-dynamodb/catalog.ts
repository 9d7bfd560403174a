/** The tables of the store. Their definitions are in the database together with their rows. */
import type { Database } from './database.ts';
import { noTable, tableExists } from './faults.ts';
import { Table, type TableDefinition } from './table.ts';

/** Format of the file, not of the items. Other formats are refused. */
const storeFormat = 1;

export class Catalog {
  readonly #db: Database;
  readonly #tables = new Map<string, Table>();

  /** @throws Error in one line for a file of another format */
  constructor(db: Database) {
    this.#db = db;
    const { user_version: format } = db.statement('PRAGMA user_version').get() as { user_version: number };
    if (format !== 0 && format !== storeFormat)
      throw new Error(`its format is ${format}, this release reads format ${storeFormat}`);
    db.exec(`
      CREATE TABLE IF NOT EXISTS tables (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL);
      PRAGMA user_version = ${storeFormat};
    `);
    for (const row of db.statement('SELECT number, definition FROM tables').all()) {
      const { number, definition } = row as { number: number; definition: string };
      this.#add(new Table(db, JSON.parse(definition) as TableDefinition, number));
    }
  }

  get names(): string[] {
    return [...this.#tables.keys()].sort();
  }

  get tables(): Iterable<Table> {
    return this.#tables.values();
  }

  /** @throws ResourceNotFoundException */
  table(name: string | undefined): Table {
    const found = this.#tables.get(name ?? '');
    if (!found) throw noTable();
    return found;
  }

  /** @throws ResourceInUseException if the name is taken */
  create(definition: TableDefinition): Table {
    if (this.#tables.has(definition.name)) throw tableExists(definition.name);
    const text = JSON.stringify(definition);
    const { number } = this.#db.statement('SELECT coalesce(max(number), 0) + 1 AS number FROM tables').get() as {
      number: number;
    };
    const table = new Table(this.#db, definition, number);
    this.#together(table.creation(), () =>
      this.#db.statement('INSERT INTO tables VALUES (?, ?, ?)').run(number, definition.name, text),
    );
    return this.#add(table);
  }

  drop(name: string | undefined): Table {
    const table = this.table(name);
    this.#together(table.removal(), () =>
      this.#db.statement('DELETE FROM tables WHERE name = ?').run(table.definition.name),
    );
    this.#tables.delete(table.definition.name);
    return table;
  }

  setTtl(name: string | undefined, attribute: string | undefined): void {
    const { definition, rows } = this.table(name);
    const { ttl: _former, ...rest } = definition;
    const changed: TableDefinition = { ...rest, ...(attribute !== undefined && { ttl: attribute }) };
    const number = Number(/\d+/.exec(rows)?.[0]);
    this.#db.flush();
    this.#db.statement('UPDATE tables SET definition = ? WHERE number = ?').run(JSON.stringify(changed), number);
    this.#add(new Table(this.#db, changed, number));
  }

  #add(table: Table): Table {
    this.#tables.set(table.definition.name, table);
    return table;
  }

  #together(sql: string, row: () => unknown): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      this.#db.exec(sql);
      row();
      this.#db.exec('COMMIT');
    } catch (cause) {
      this.#db.exec('ROLLBACK');
      throw cause;
    }
  }
}
