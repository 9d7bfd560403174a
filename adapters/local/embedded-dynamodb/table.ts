/** A table's rows in SQLite: items as text under their keys, and one row per item in each of its indexes. */
import type { Database } from './database.ts';
import { invalid, oneInvalid } from './faults.ts';
import { itemText, parseItem } from './item-text.ts';
import {
  attributeOfColumn,
  checkedKey,
  isSamePlace,
  type KeySchema,
  type Place,
  placeInIndex,
  placeOfItem,
} from './keys.ts';
import { type Item, sizeOfItem } from './values.ts';

export interface IndexDefinition {
  readonly name: string;
  readonly keys: KeySchema;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly include?: readonly string[];
}

export interface TableDefinition {
  readonly name: string;
  readonly keys: KeySchema;
  readonly indexes: readonly IndexDefinition[];
  readonly ttl?: string;
  readonly createdAt: number;
}

const absent = { characters: 0 };
const maxBytes = 400 * 1024;
/**
 * Length that always fits: a UTF-16 unit is at most three bytes, and the text of an item is longer than DynamoDB's
 * count.
 */
const surelyFits = Math.floor(maxBytes / 3);

/** An index with the SQL name of its rows. */
export interface TableIndex extends IndexDefinition {
  readonly rows: string;
  readonly sql: { readonly put: string; readonly delete: string };
}

export class Table {
  readonly definition: TableDefinition;
  /** SQL name of the rows. */
  readonly rows: string;
  readonly indexes: readonly TableIndex[];
  readonly #db: Database;
  readonly #sql: { readonly get: string; readonly put: string; readonly delete: string };

  /** @param number identifies its rows in SQL */
  constructor(db: Database, definition: TableDefinition, number: number) {
    this.#db = db;
    this.definition = definition;
    this.rows = `items_${number}`;
    this.indexes = definition.indexes.map((index, i) => {
      const rows = `${this.rows}_index_${i}`;
      const sql = {
        put: `INSERT OR IGNORE INTO ${rows} (gpk, gsk, pk, sk) VALUES (?, ?, ?, ?)`,
        delete: `DELETE FROM ${rows} WHERE gpk = ? AND gsk = ? AND pk = ? AND sk = ?`,
      };
      return { ...index, rows, sql };
    });
    this.#sql = {
      get: `SELECT item FROM ${this.rows} WHERE pk = ? AND sk = ?`,
      put: `INSERT INTO ${this.rows} (pk, sk, item) VALUES (?, ?, ?) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item`,
      delete: `DELETE FROM ${this.rows} WHERE pk = ? AND sk = ?`,
    };
  }

  get keyNames(): readonly string[] {
    return keyNames(this.definition.keys);
  }

  /** Returns the statements that create the table's rows. */
  creation(): string {
    const rows = `CREATE TABLE ${this.rows} (pk, sk, item TEXT NOT NULL, PRIMARY KEY (pk, sk));`;
    const indexes = this.indexes.map(
      (index) => `CREATE TABLE ${index.rows} (gpk, gsk, pk, sk, PRIMARY KEY (gpk, gsk, pk, sk)) WITHOUT ROWID;`,
    );
    return [rows, ...indexes].join('\n');
  }

  removal(): string {
    return [this.rows, ...this.indexes.map(({ rows }) => rows)].map((name) => `DROP TABLE ${name};`).join('\n');
  }

  index(name: string): TableIndex {
    const found = this.indexes.find((index) => index.name === name);
    if (!found) throw invalid(`The table does not have the specified index: ${name}`);
    return found;
  }

  /** @throws ValidationException for a key that is not one of this table */
  placeOf(key: unknown): Place {
    return placeOfItem(checkedKey(key, this.definition.keys), this.definition.keys);
  }

  /** Returns the item at a place, not shared with other readers. */
  get(place: Place): Item | undefined {
    return this.read(place).item;
  }

  /** Returns the item with the length of its text. */
  read({ partition, sort }: Place): { readonly item?: Item; readonly characters: number } {
    const row = this.#db.statement(this.#sql.get).get(partition, sort) as { item: string } | undefined;
    return row ? { item: parseItem(row.item), characters: row.item.length } : absent;
  }

  /** @throws ValidationException for an item that is too large, or whose index keys have wrong types */
  toRow(item: Item): Row {
    const text = itemText(item);
    if (text.length > surelyFits && sizeOfItem(item) > maxBytes)
      throw oneInvalid(`Item size has exceeded the maximum allowed size of ${maxBytes} bytes`);
    return {
      place: placeOfItem(item, this.definition.keys),
      text,
      inIndexes: this.indexes.map(({ name, keys }) => placeInIndex(item, name, keys)),
    };
  }

  /** @param before the current item, as it was read */
  put({ place, text, inIndexes }: Row, before: Item | undefined): void {
    this.#db.writing();
    this.#db.statement(this.#sql.put).run(place.partition, place.sort, text);
    this.#moveInIndexes(place, before, inIndexes);
  }

  delete(place: Place, before: Item): void {
    this.#db.writing();
    this.#db.statement(this.#sql.delete).run(place.partition, place.sort);
    this.#moveInIndexes(place, before, []);
  }

  #moveInIndexes(place: Place, before: Item | undefined, now: readonly (Place | undefined)[]): void {
    for (let i = 0; i < this.indexes.length; i++) {
      const { name, keys, sql } = this.indexes[i]!;
      const was = before && placeInIndex(before, name, keys);
      const is = now[i];
      if (was && is && isSamePlace(was, is)) continue;
      if (was) this.#db.statement(sql.delete).run(was.partition, was.sort, place.partition, place.sort);
      if (is) this.#db.statement(sql.put).run(is.partition, is.sort, place.partition, place.sort);
    }
  }

  /** Returns the keys of an item and of an index, from the columns of the index's row. */
  keysOfIndexRow(index: IndexDefinition, row: IndexRow): Item {
    const { keys } = this.definition;
    const item: Item = { [keys.partition.name]: attributeOfColumn(row.pk, keys.partition) };
    if (keys.sort) item[keys.sort.name] = attributeOfColumn(row.sk, keys.sort);
    item[index.keys.partition.name] = attributeOfColumn(row.gpk, index.keys.partition);
    if (index.keys.sort) item[index.keys.sort.name] = attributeOfColumn(row.gsk, index.keys.sort);
    return item;
  }
}

/** The stored form of an item. */
export interface Row {
  readonly place: Place;
  readonly text: string;
  readonly inIndexes: readonly (Place | undefined)[];
}

export interface IndexRow {
  readonly pk: string | Uint8Array;
  readonly sk: string | Uint8Array;
  readonly gpk: string | Uint8Array;
  readonly gsk: string | Uint8Array;
}

export const keyNames = ({ partition, sort }: KeySchema): readonly string[] =>
  sort ? [partition.name, sort.name] : [partition.name];
