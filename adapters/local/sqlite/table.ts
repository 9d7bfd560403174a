/** A table's rows in SQLite: text stored under their keys, and one row per place in each index. */
import type { StatementSync } from 'node:sqlite';
import type { TableSpec } from '#core/contracts/tables.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { KeyNames } from '../../tables/specs.ts';
import type { Key, Query, Row, StoreTable } from '../../tables/store.ts';
import { meetsCondition } from './conditions.ts';
import type { Database } from './database.ts';
import { assertSize, parseRow, rowText } from './row-text.ts';

/** Maximum number of rows kept in memory for tables whose rows are read and rewritten by subsequent calls. */
const keptRows: Readonly<Partial<Record<StoreTable, number>>> = {
  sessions: 1_000,
  counters: 500,
  actions: 500,
  manifests: 500,
  observations: 300,
};
/** Number of rows in a page, unless the caller asks for fewer. */
const pageRows = 1_000;

/** A table's keys and indexes, as recorded in the file. */
export type Definition = Pick<TableSpec, 'partitionKey' | 'sortKey' | 'indexes'>;

interface KeyValues {
  readonly partition: string;
  /** Empty if there is no sort key. */
  readonly sort: string;
}

interface Index extends KeyNames {
  readonly name: string;
  readonly rows: string;
  readonly whole: boolean;
  readonly put: StatementSync;
  readonly delete: StatementSync;
}

/** A row in memory; its text is parsed at first use. */
class KeptRow {
  #text: string;
  readonly #key: Key;
  #row: Row | undefined;

  constructor(text: string, key: Key) {
    this.#text = text;
    this.#key = key;
  }

  get row(): Row {
    if (this.#row === undefined) {
      this.#row = parseRow(this.#text, this.#key);
      this.#text = '';
    }
    return this.#row;
  }
}

/** A row to write: its keys and its text. */
export interface PreparedRow {
  readonly place: KeyValues;
  readonly text: string;
  readonly row: Row;
}

/** Returns the statements that create the SQLite tables. */
export function creationOf(rows: string, { indexes = [] }: TableSpec): string {
  const places = indexes.map(
    (_, i) => `CREATE TABLE ${rows}_index_${i} (gpk, gsk, pk, sk, PRIMARY KEY (gpk, gsk, pk, sk)) WITHOUT ROWID;`,
  );
  return [`CREATE TABLE ${rows} (pk, sk, item TEXT NOT NULL, PRIMARY KEY (pk, sk));`, ...places].join('\n');
}

export class Table {
  readonly #db: Database;
  readonly name: StoreTable;
  readonly #spec: Definition;
  readonly #rows: string;
  readonly #get: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;
  readonly #indexes: readonly Index[];
  readonly #keys: readonly string[];
  /** Rows in memory; undefined for a row that is known to be missing. */
  #kept: RecentMap<string, KeptRow | undefined> | undefined;

  /** @param rows SQL name of the table that holds the rows */
  constructor(db: Database, { name, ...spec }: Definition & { readonly name: StoreTable }, rows: string) {
    this.#db = db;
    this.name = name;
    this.#spec = spec;
    this.#rows = rows;
    this.#keys = keyAttributes(spec);
    this.forget();
    this.#get = db.statement(`SELECT item FROM ${rows} WHERE pk = ? AND sk = ?`);
    this.#put = db.statement(
      `INSERT INTO ${rows} (pk, sk, item) VALUES (?, ?, ?) ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item`,
    );
    this.#delete = db.statement(`DELETE FROM ${rows} WHERE pk = ? AND sk = ?`);
    this.#indexes = (spec.indexes ?? []).map(({ projection, ...keys }, i) => ({
      ...keys,
      rows: `${rows}_index_${i}`,
      whole: projection === 'ALL',
      put: db.statement(`INSERT OR IGNORE INTO ${rows}_index_${i} (gpk, gsk, pk, sk) VALUES (?, ?, ?, ?)`),
      delete: db.statement(`DELETE FROM ${rows}_index_${i} WHERE gpk = ? AND gsk = ? AND pk = ? AND sk = ?`),
    }));
  }

  read(key: Key | Row): Row | undefined {
    return this.#read(keyValuesOf(key, this.#spec))?.row;
  }

  /** Returns the data needed to store a row. @throws TypeError for a row that cannot be stored */
  prepared(row: Row): PreparedRow {
    const text = rowText(row, this.#keys);
    assertSize(row, text);
    return { place: keyValuesOf(row, this.#spec), text, row };
  }

  /** Returns a string that identifies a row across all tables. */
  idOf(key: Key | Row): string {
    return `${this.name} ${keyText(keyValuesOf(key, this.#spec))}`;
  }

  /** Stores a row. @param before the row it replaces, if the table has indexes */
  write({ place, text, row }: PreparedRow, before: Row | undefined): void {
    this.#db.writing();
    this.#put.run(place.partition, place.sort, text);
    this.#keep(place, new KeptRow(text, this.#keyOf(place)));
    this.#move(place, before, row);
  }

  delete(key: Key, before: Row): void {
    const place = keyValuesOf(key, this.#spec);
    this.#db.writing();
    this.#delete.run(place.partition, place.sort);
    this.#keep(place, undefined);
    this.#move(place, before, {});
  }

  /** True if the row that a write replaces must be read first, to update the indexes. */
  get hasIndexes(): boolean {
    return this.#indexes.length > 0;
  }

  /** Drops the rows in memory after their writes were rolled back. */
  forget(): void {
    const max = keptRows[this.name];
    this.#kept = max === undefined ? undefined : new RecentMap({ max });
  }

  query({ index: name, partition, range, order, limit, after, filter, only }: Query): { rows: Row[]; next?: Key } {
    const index = name === undefined ? undefined : this.#index(name);
    const keys: KeyNames = index ?? this.#spec;
    const { sql, values } = selection(index?.rows ?? this.#rows, index !== undefined, {
      partition,
      range,
      descending: order === 'descending',
      after: after && { ...keyValuesOf(after, keys), own: keyValuesOf(after, this.#spec) },
    });
    const most = Math.min(limit ?? pageRows, pageRows);
    const found = this.#db.statement(sql).all(...values, most) as unknown as FoundRow[];
    const rows = found.map((each) => (index ? this.#ofIndex(index, each) : this.#rowOf(each)));
    const last = found.length === most ? rows.at(-1) : undefined;
    const chosen = filter ? rows.filter((row) => meetsCondition(filter, row)) : rows;
    return {
      rows: only ? chosen.map((row) => pickAttributes(row, only)) : chosen,
      ...(last && { next: pickAttributes(last, [...keyAttributes(this.#spec), ...keyAttributes(keys)]) as Key }),
    };
  }

  all(): Row[] {
    const found = this.#db.statement(`SELECT pk, sk, item FROM ${this.#rows} ORDER BY pk, sk`).all();
    return (found as unknown as FoundRow[]).map((each) => this.#rowOf(each));
  }

  #rowOf({ pk, sk, item }: FoundRow): Row {
    return parseRow(item, this.#keyOf({ partition: pk, sort: sk }));
  }

  #keyOf({ partition, sort }: KeyValues): Key {
    const { partitionKey, sortKey } = this.#spec;
    return sortKey === undefined ? { [partitionKey]: partition } : { [partitionKey]: partition, [sortKey]: sort };
  }

  #index(name: string): Index {
    const found = this.#indexes.find((index) => index.name === name);
    if (!found) throw new Error(`The table has no index ${name}.`);
    return found;
  }

  /** Returns the row at a place in an index: only its keys, or the whole row if the index has all attributes. */
  #ofIndex(index: Index, { gpk, gsk, pk, sk }: FoundRow): Row {
    const key: Record<string, string> = { ...this.#keyOf({ partition: pk, sort: sk }) };
    if (index.whole) return this.read(key) ?? key;
    key[index.partitionKey] = gpk;
    if (index.sortKey !== undefined) key[index.sortKey] = gsk;
    return key;
  }

  #read(place: KeyValues): KeptRow | undefined {
    const id = keyText(place);
    if (this.#kept?.has(id)) return this.#kept.get(id);
    const found = this.#get.get(place.partition, place.sort) as { item: string } | undefined;
    const row = found && new KeptRow(found.item, this.#keyOf(place));
    this.#kept?.set(id, row);
    return row;
  }

  /** Replaces a row that is already in memory. Rows that were never read are not added. */
  #keep(place: KeyValues, row: KeptRow | undefined): void {
    const id = keyText(place);
    if (this.#kept?.has(id)) this.#kept.set(id, row);
  }

  #move(place: KeyValues, before: Row | undefined, now: Row): void {
    for (const index of this.#indexes) {
      const was = before && placeIn(before, index);
      const is = placeIn(now, index);
      if (was?.partition === is?.partition && was?.sort === is?.sort) continue;
      if (was) index.delete.run(was.partition, was.sort, place.partition, place.sort);
      if (is) index.put.run(is.partition, is.sort, place.partition, place.sort);
    }
  }
}

interface FoundRow {
  readonly item: string;
  readonly gpk: string;
  readonly gsk: string;
  readonly pk: string;
  readonly sk: string;
}

interface Selection extends Pick<Query, 'partition'> {
  readonly range: Query['range'] | undefined;
  readonly descending: boolean;
  readonly after: (KeyValues & { readonly own: KeyValues }) | undefined;
}

/** Returns the statement that reads a page, and its values except the last one, which is the number of rows. */
function selection(rows: string, isIndex: boolean, { partition, range, descending, after }: Selection) {
  const [first, second] = isIndex ? ['gpk', 'gsk'] : ['pk', 'sk'];
  const conditions = [`${first} = ?`];
  const values = [partition];
  const add = (condition: string, ...given: string[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  if (range && 'before' in range) add(`${second} < ?`, range.before);
  // The prefix of a string: at least the prefix itself, and less than the prefix followed by the last character.
  else if (range && 'prefix' in range)
    add(`${second} >= ? AND ${second} < ? || char(1114111)`, range.prefix, range.prefix);
  else if (range) {
    add(`${second} >= ?`, range.from);
    if (range.to !== undefined) add(`${second} <= ?`, range.to);
  }
  const beyond = descending ? '<' : '>';
  if (after && isIndex) add(`(gsk, pk, sk) ${beyond} (?, ?, ?)`, after.sort, after.own.partition, after.own.sort);
  else if (after) add(`sk ${beyond} ?`, after.sort);
  const by = (isIndex ? ['gsk', 'pk', 'sk'] : ['sk']).map((column) => (descending ? `${column} DESC` : column));
  const columns = isIndex ? 'gpk, gsk, pk, sk' : 'pk, sk, item';
  const sql = `SELECT ${columns} FROM ${rows} WHERE ${conditions.join(' AND ')} ORDER BY ${by.join(', ')} LIMIT ?`;
  return { sql, values };
}

const keyAttributes = ({ partitionKey, sortKey }: KeyNames): string[] =>
  sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];

/**
 * @throws TypeError for a key that is missing or not a string, because a row must never be stored under a key other
 * than its own
 */
function keyValuesOf(row: Row, { partitionKey, sortKey }: KeyNames): KeyValues {
  return { partition: keyIn(row, partitionKey), sort: sortKey === undefined ? '' : keyIn(row, sortKey) };
}

function keyIn(row: Row, name: string): string {
  const value = row[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`The key ${name} of a row must be a string of at least one character.`);
}

/** Returns a row's place in an index; undefined if the row lacks an attribute of the index's key. */
function placeIn(row: Row, { partitionKey, sortKey }: KeyNames): KeyValues | undefined {
  const partition = row[partitionKey];
  const sort = sortKey === undefined ? '' : row[sortKey];
  return typeof partition === 'string' && typeof sort === 'string' ? { partition, sort } : undefined;
}

const keyText = ({ partition, sort }: KeyValues): string =>
  sort === '' ? partition : `${partition.length}:${partition}${sort}`;

const pickAttributes = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])));
