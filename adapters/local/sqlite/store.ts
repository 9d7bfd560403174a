/** The store over a SQLite database in this process. */
import { setImmediate } from 'node:timers';
import { storeTables } from '../../tables/specs.ts';
import {
  type Key,
  type Reason,
  type Row,
  type Store,
  StoreFault,
  type StoreTable,
  type TransactionCancelled,
  type Write,
  type WriteOptions,
  type WriteOutcome,
} from '../../tables/store.ts';
import { openTables } from './catalog.ts';
import { applyChange } from './changes.ts';
import { meetsCondition } from './conditions.ts';
import { Database, type DatabaseOptions } from './database.ts';
import type { PreparedRow, Table } from './table.ts';

export interface LocalStore extends Store {
  scan(table: StoreTable): Row[];
  /** Stores pending writes and closes the file. */
  close(): void;
}

/** A write whose condition was met: the row it replaces and the row it stores. */
interface PreparedWrite {
  readonly table: Table;
  readonly before: Row | undefined;
  readonly prepared: PreparedRow;
}

/**
 * Opens the file, or creates it. An acknowledged write is stored.
 * @throws Error with a one-line message for a file that is not such a store; the file is then unchanged
 */
export function openStore(options: DatabaseOptions = {}): LocalStore {
  const db = new Database(options);
  const tables = tablesOf(db);
  const turns = new EventLoopYield();
  db.abandoned = () => {
    for (const table of tables.values()) table.forget();
  };
  const tableOf = (name: StoreTable): Table => tables.get(name)!;

  /**
   * Runs work on rows without interruption, and resolves once every write it made or read is stored. A database fault
   * also rolls back the turn's other writes, because it may have left one of them unfinished.
   */
  async function answer<T>(work: () => T): Promise<T> {
    const turn = turns.wait();
    if (turn) await turn;
    let result: T;
    try {
      result = work();
    } catch (cause) {
      if (cause instanceof TypeError) throw new StoreFault(cause, 'input');
      db.abandon(cause);
      throw new StoreFault(cause);
    }
    const kept = db.kept();
    if (kept)
      await kept.catch((cause) => {
        throw new StoreFault(cause);
      });
    return result;
  }

  /** Returns the row that a write replaces, or the reason why its condition is not met. */
  function conditioned(write: Write): { readonly before: Row | undefined } | Reason {
    const table = tableOf(tableIn(write));
    const needed = write.if !== undefined || 'update' in write || table.hasIndexes;
    const before = needed ? table.read(keyRow(write)) : undefined;
    if (!write.if || meetsCondition(write.if, before)) return { before };
    return { code: 'condition', ...(write.current && before && { row: before }) };
  }

  /** @throws TypeError for a change or row that cannot be stored */
  function prepared(write: Write, before: Row | undefined): PreparedWrite {
    const table = tableOf(tableIn(write));
    const row = 'put' in write ? write.row : applyChange(before ?? write.key, write.change);
    return { table, before, prepared: table.prepared(row) };
  }

  function writeOne<R extends object>(write: Write, after = false): WriteOutcome<R> {
    const found = conditioned(write);
    if ('code' in found) return { written: false, ...(found.row && { row: found.row as R }) };
    const { table, before, prepared: row } = prepared(write, found.before);
    table.write(row, before);
    return { written: true, ...(after && { row: row.row as R }) };
  }

  /** Writes only if every condition is met and every row can be stored. */
  function writeAll(writes: readonly Write[]): 'written' | TransactionCancelled {
    const ids = new Set(writes.map((write) => tableOf(tableIn(write)).idOf(keyRow(write))));
    if (ids.size < writes.length) throw new TypeError('A transaction may write each row only once.');
    const found = writes.map(conditioned);
    if (found.some((each) => 'code' in each))
      return { reasons: found.map((each): Reason => ('code' in each ? each : { code: 'none' })) };
    const rows = writes.map((write, at) => prepared(write, (found[at] as { before: Row | undefined }).before));
    for (const { table, prepared: row, before } of rows) table.write(row, before);
    return 'written';
  }

  return {
    clustered: true,
    get: <R extends object>(table: StoreTable, key: Key) => answer(() => tableOf(table).read(key) as R | undefined),
    getMany: <R extends object>(reads: readonly (readonly [StoreTable, Key])[]) =>
      answer(() => reads.map(([table, key]) => tableOf(table).read(key) as R | undefined)),
    query: <R extends object>(table: StoreTable, query: Parameters<Store['query']>[1]) =>
      answer(() => tableOf(table).query(query) as { rows: R[]; next?: Key }),
    put: <R extends object>(table: StoreTable, row: Row, options: WriteOptions = {}) =>
      answer(() => writeOne<R>({ put: table, row, ...options })),
    putMany: (table, rows) =>
      answer(() => {
        for (const row of rows) writeOne({ put: table, row });
      }),
    update: <R extends object>(
      table: StoreTable,
      key: Key,
      change: Parameters<Store['update']>[2],
      { after, ...options }: WriteOptions & { readonly after?: boolean } = {},
    ) => answer(() => writeOne<R>({ update: table, key, change, ...options }, after)),
    remove: (name, key, options = {}) =>
      answer((): WriteOutcome => {
        const table = tableOf(name);
        const before = table.read(key);
        if (options.if && !meetsCondition(options.if, before)) return { written: false };
        if (before) table.delete(key, before);
        return { written: true };
      }),
    transact: (writes) => answer(() => writeAll(writes)),
    scan: (table) => tableOf(table).all(),
    close: () => db.close(),
  };
}

function tablesOf(db: Database): ReadonlyMap<StoreTable, Table> {
  try {
    return openTables(db, storeTables);
  } catch (cause) {
    db.close();
    throw cause;
  }
}

const tableIn = (write: Write): StoreTable => ('put' in write ? write.put : write.update);
const keyRow = (write: Write): Row => ('put' in write ? write.row : write.key);

const maxMs = 5;

/**
 * Breaks that let other work run. The store responds without waiting, so a caller in a loop would never yield to the
 * event loop. Once a turn has taken some milliseconds, its remaining operations wait for the next turn.
 */
class EventLoopYield {
  #startedAt: number | undefined;
  #next: Promise<void> | undefined;

  /** Returns a promise for the next turn, or undefined if this turn has time left. */
  wait(): Promise<void> | undefined {
    if (this.#startedAt === undefined) {
      this.#startedAt = performance.now();
      setImmediate(() => {
        this.#startedAt = undefined;
      });
      return undefined;
    }
    if (performance.now() - this.#startedAt < maxMs) return undefined;
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined;
        resolve();
      });
    });
    return this.#next;
  }
}
