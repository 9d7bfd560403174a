/**
 * The store's SQLite database. The writes of one event loop turn form one SQLite transaction; at busy times the
 * transaction also includes the writes of the following turns, until a turn makes no writes. Callers get their response
 * only once the transaction is on disk, so an acknowledged write survives any process exit.
 */
import { chmodSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers';
import { assertFormat } from './file-format.ts';

export interface DatabaseOptions {
  /** The database file. If absent, the database is in memory. */
  readonly path?: string | undefined;
  /** True to sync each group of writes, so that it also survives a power failure. */
  readonly syncs?: boolean | undefined;
  /** Maximum number of pages in the file. If absent, the disk is the only limit. */
  readonly maxPages?: number | undefined;
}

/** Time that a new process waits for the locks of a process that is just exiting. */
const lockedMs = 5_000;
/**
 * Page size. A commit writes whole pages, although most rows change only part of one: with 4 kB pages, a chat call
 * writes twice as much.
 */
const pageBytes = 1_024;
/** Log size at which its pages are moved into the file. Every caller waits until they are on disk. */
const logBytes = 125_000_000;
/** Time without a write after which the pages are moved earlier, if the log has this many groups. */
const idleMs = 1_000;
const idleGroups = 250;
/**
 * Cache size. It can be small because rows written together are stored next to each other, and the operating system
 * caches the file.
 */
const cacheKib = 4_096;
/**
 * Time after a group within which the next one counts as busy: it then also takes the writes of later turns for the
 * same time, because with many callers a group costs more than a write.
 */
const busyMs = 3;

export class Database {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #group: PromiseWithResolvers<void> | undefined;
  #endedAt = Number.NEGATIVE_INFINITY;
  /** True if a write was made since the open group's last turn. */
  #grows = false;
  #inLog = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Called when a group is rolled back. */
  abandoned: () => void = () => {};

  constructor({ path, syncs = false, maxPages }: DatabaseOptions) {
    this.#db = new DatabaseSync(path ?? ':memory:', { timeout: lockedMs });
    if (path === undefined) return;
    try {
      assertFormat(this.#db);
    } catch (cause) {
      this.#db.close();
      throw cause;
    }
    chmodSync(path, 0o600);
    this.#db.exec(`
      PRAGMA page_size = ${pageBytes};
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${syncs ? 'FULL' : 'NORMAL'};
      PRAGMA wal_autocheckpoint = ${Math.ceil(logBytes / pageBytes)};
      PRAGMA cache_size = -${cacheKib};
      ${maxPages === undefined ? '' : `PRAGMA max_page_count = ${maxPages};`}
    `);
    this.#idle = setTimeout(() => this.#moveLog(), idleMs).unref();
  }

  /** Returns a prepared statement; the same SQL is prepared only once. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs statements outside a group, such as those that create tables. */
  exec(sql: string): void {
    this.flush();
    this.#db.exec(sql);
  }

  /** Opens the group for this turn unless it is already open. Call before each write. */
  writing(): void {
    this.#grows = true;
    if (this.#group) return;
    this.#db.exec('BEGIN IMMEDIATE');
    const group = Promise.withResolvers<void>();
    this.#group = group;
    group.promise.catch(() => {}); // each waiting caller handles the rejection itself
    const now = performance.now();
    const until = now - this.#endedAt < busyMs ? now + busyMs : now;
    const turn = () => {
      if (this.#group !== group) return;
      if (!this.#grows || performance.now() >= until) return this.flush();
      this.#grows = false;
      setImmediate(turn);
    };
    setImmediate(turn);
  }

  /**
   * Returns a promise that resolves when all earlier writes are stored and rejects if they are not. Returns undefined
   * if they are already stored.
   */
  kept(): Promise<void> | undefined {
    return this.#group?.promise;
  }

  /** Ends the group: either all of it is stored, or none. */
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

  /** Rolls back the group after a database fault, because a write may have been made only in part. */
  abandon(cause: unknown): void {
    const group = this.#group;
    this.#group = undefined;
    this.abandoned();
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } finally {
      group?.reject(cause);
    }
  }

  #moveLog(): void {
    if (this.#group || this.#inLog < idleGroups) return;
    try {
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      this.#inLog = 0;
    } catch {
      // Pages that were not moved stay in the log until next time.
    }
  }

  close(): void {
    clearTimeout(this.#idle);
    this.flush();
    this.#statements.clear();
    this.#db.close();
  }
}
