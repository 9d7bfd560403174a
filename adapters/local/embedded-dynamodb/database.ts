/**
 * The SQLite database of the store. Writes of one turn of the event loop are one SQLite transaction, of two turns where one
 * has just ended, and no caller hears of one before it is on disk: what was answered survives the end of the process, whatever
 * ends it.
 */
import { chmodSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers';
import { broken } from './faults.ts';

export interface DatabaseOptions {
  /** The database file; absent: in memory. */
  readonly path?: string | undefined;
  /** Whether each group of writes is synced, so that it survives the end of the machine as well. */
  readonly syncs?: boolean | undefined;
  /** Pages of 4 kB that the file may have; absent: as many as the disk takes. */
  readonly maxPages?: number | undefined;
}

/** A later start waits for the locks of a process that is just being ended. */
const lockedMs = 5_000;
/** Pages of 4 kB in the log before they are moved into the file: every caller waits until the disk has them. */
const logPages = 32_000;
/** They are moved earlier after so long without a write, with so many groups in the log. */
const idleMs = 1_000;
const idleGroups = 250;
const cacheKib = 16_384;
/** So soon after a group the next one takes the writes of a second turn: many callers write, and a group costs more than a write. */
const busyMs = 2;

export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #group: PromiseWithResolvers<void> | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;
  #inLog = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Called when a group is taken back. */
  abandoned: () => void = () => {};

  constructor({ path, syncs = false, maxPages }: DatabaseOptions) {
    this.#db = new DatabaseSync(path ?? ':memory:', { timeout: lockedMs });
    if (path === undefined) return;
    chmodSync(path, 0o600);
    this.#db.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${syncs ? 'FULL' : 'NORMAL'};
      PRAGMA wal_autocheckpoint = ${logPages};
      PRAGMA cache_size = -${cacheKib};
      ${maxPages === undefined ? '' : `PRAGMA max_page_count = ${maxPages};`}
    `);
    this.#idle = setTimeout(() => this.#moveLog(), idleMs).unref();
  }

  /** A prepared statement; the same text is prepared once. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Statements outside of a group, such as those that make tables. */
  exec(sql: string): void {
    this.flush();
    this.#db.exec(sql);
  }

  /** To be called before each write: opens the group of this turn, if it is not. */
  writing(): void {
    if (this.#group) return;
    this.#db.exec('BEGIN IMMEDIATE');
    this.#group = Promise.withResolvers();
    this.#group.promise.catch(() => {}); // each caller that waits handles the rejection itself
    const flush = () => this.flush();
    setImmediate(performance.now() - this.#endedAt < busyMs ? () => setImmediate(flush) : flush);
  }

  /** Resolves when everything that was seen so far is kept; rejects when it is not. Undefined when it is kept already. */
  kept(): Promise<void> | undefined {
    return this.#group?.promise;
  }

  /** Ends the group: all of it is kept, or nothing. */
  flush(): void {
    const group = this.#group;
    if (!group) return;
    try {
      this.#db.exec('COMMIT');
      this.#group = undefined;
      this.#endedAt = performance.now();
      this.#inLog++;
      this.#idle?.refresh();
      group.resolve();
    } catch (cause) {
      this.abandon(cause);
    }
  }

  /** Takes back the group after a fault of the database: part of a write may have been made. */
  abandon(cause: unknown): void {
    const group = this.#group;
    this.#group = undefined;
    this.abandoned();
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } finally {
      group?.reject(broken(cause));
    }
  }

  #moveLog(): void {
    if (this.#group || this.#inLog < idleGroups) return;
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      this.#inLog = 0;
    } catch {
      // What was not moved stays in the log, and is moved another time.
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    this.flush();
    this.#statements.clear();
    this.#db.close();
  }
}
