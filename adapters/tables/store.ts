/**
 * A row store with two implementations: one on DynamoDB (`adapters/aws/dynamodb`) and one on SQLite
 * (`adapters/local/sqlite`). Conditions and changes are data: one driver renders them as expressions, and the other
 * executes them.
 */
import type { TableName } from '#core/contracts/tables.ts';
import { GatewayError } from '#core/kernel/errors.ts';

/** One of the gateway's tables, or one that exists only in local runs. */
export type StoreTable = TableName | 'executions' | 'objects';

/**
 * Attributes by name: JSON values or, as whole attributes, bytes or a set of strings. Undefined members are not stored.
 */
export type Row = Readonly<Record<string, unknown>>;
/** The attributes that identify a row: the table's key and, for a place in an index, also the index's key. */
export type Key = Readonly<Record<string, string>>;
/** An attribute by name, or the path through maps to a member. */
export type Path = string | readonly string[];

/** Attributes of a stored row in addition to the record it holds: index keys and time to live. */
export type IndexAttributes<Name extends string> = { readonly [Each in Name]?: unknown };

type Scalar = string | number | boolean;

/** A condition on a row. A comparison with a missing attribute is false, except for `differs`. */
export type Condition =
  | { readonly absent: Path }
  | { readonly present: Path }
  | { readonly equals: readonly [Path, Scalar] }
  | { readonly differs: readonly [Path, Scalar] }
  | { readonly below: readonly [Path, string | number] }
  | { readonly atMost: readonly [Path, string | number] }
  | { readonly above: readonly [Path, string | number] }
  /** A map or set has fewer members than this number. */
  | { readonly fewer: readonly [Path, number] }
  /** A set of strings has this member. */
  | { readonly holds: readonly [Path, string] }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/** Changes to the attributes of one row. Values that are undefined are left out. */
export interface Change {
  readonly set?: Row;
  /** Sets members of maps. The maps must exist. */
  readonly setIn?: readonly (readonly [readonly string[], unknown])[];
  readonly setIfAbsent?: Row;
  readonly remove?: readonly Path[];
  /** Adds to a number or to a set of strings. A missing attribute counts as 0 or as an empty set. */
  readonly add?: Readonly<Record<string, number | ReadonlySet<string>>>;
}

export interface WriteOptions {
  readonly if?: Condition | undefined;
  /** True to return the row that failed the condition. */
  readonly current?: boolean;
}

/** Outcome of one write. `row` is present if it was requested and exists. */
export interface WriteOutcome<R extends object = Row> {
  /** False if the condition was not met. */
  readonly written: boolean;
  readonly row?: R;
}

/** One write in a transaction. */
export type Write =
  | ({ readonly put: StoreTable; readonly row: Row } & WriteOptions)
  | ({ readonly update: StoreTable; readonly key: Key; readonly change: Change } & WriteOptions);

/** The reason one write gave for cancelling its transaction. */
export interface Reason {
  /**
   * `busy` means that another transaction was writing the row; `fault` means that the store did not accept the write.
   */
  readonly code: 'none' | 'condition' | 'busy' | 'fault';
  readonly row?: Row;
}

export interface TransactionCancelled {
  /** One reason per write, in the same order. */
  readonly reasons: readonly Reason[];
}

export interface Query {
  /** Name of an index. Its rows contain only keys unless it projects all attributes. Indexes may lag. */
  readonly index?: string;
  /** Value of the index's or table's partition key. */
  readonly partition: string;
  /** Bounds of the sort key; `from` and `to` are included. */
  readonly range?:
    | { readonly from: string; readonly to?: string }
    | { readonly before: string }
    | { readonly prefix: string };
  readonly order?: 'ascending' | 'descending';
  /** Maximum number of rows read; `filter` is applied to these rows afterwards. */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly after?: Key | undefined;
  readonly filter?: Condition;
  /** Names of the attributes to return. */
  readonly only?: readonly string[];
  readonly stale?: boolean;
}

interface ReadOptions {
  /** True to allow a response from a lagging replica. Otherwise a read reflects every earlier write. */
  readonly stale?: boolean;
}

/**
 * A store of rows. Code that reads rows must not modify them. Faults are thrown as a `StoreFault`: nothing was written,
 * as far as is known.
 */
export interface Store {
  /**
   * True if rows with similar keys are stored together and one partition can take all writes. Keys then follow the time
   * of writing; otherwise they are spread over partitions.
   */
  readonly clustered?: boolean;
  /**
   * @param options.together whether reads from the same turn of the event loop share a request, without waiting for any
   * other read
   */
  get<R extends object = Row>(
    table: StoreTable,
    key: Key,
    options?: ReadOptions & { readonly together?: boolean },
  ): Promise<R | undefined>;
  /** Returns the rows in the order of the keys, with undefined for each missing row. */
  getMany<R extends object = Row>(
    reads: readonly (readonly [StoreTable, Key])[],
    /** If `once` is true, the read fails unless one request returns all rows. */
    options?: ReadOptions & { readonly once?: boolean },
  ): Promise<(R | undefined)[]>;
  query<R extends object = Row>(
    table: StoreTable,
    query: Query,
  ): Promise<{ readonly rows: readonly R[]; readonly next?: Key }>;
  put<R extends object = Row>(table: StoreTable, row: Row, options?: WriteOptions): Promise<WriteOutcome<R>>;
  /** Puts rows unconditionally, in no particular order. If this fails, some of them may have been stored. */
  putMany(table: StoreTable, rows: readonly Row[]): Promise<void>;
  /**
   * Changes a row. Without a condition, creates the row if it does not exist. @param options.after returns the changed
   * row
   */
  update<R extends object = Row>(
    table: StoreTable,
    key: Key,
    change: Change,
    options?: WriteOptions & { readonly after?: boolean },
  ): Promise<WriteOutcome<R>>;
  remove(table: StoreTable, key: Key, options?: Pick<WriteOptions, 'if'>): Promise<WriteOutcome>;
  /** Applies all writes or none. Each write must be to a different row. */
  transact(writes: readonly Write[]): Promise<'written' | TransactionCancelled>;
}

/** Options of every table adapter. */
export interface StoreOptions {
  readonly store: Store;
}

/**
 * Fault of a store that did not respond, or responded unexpectedly. `busy` means that another transaction was writing
 * the row; `input` means that the store refused the request itself, e.g. because of its size.
 */
export class StoreFault extends GatewayError {
  readonly reason: 'busy' | 'input' | 'other';

  constructor(cause: unknown, reason: StoreFault['reason'] = 'other') {
    super('service_unavailable', 'The store did not answer; nothing was written. Try again shortly.', {
      cause,
      retryAfterSeconds: 1,
    });
    this.reason = reason;
  }
}

/** Returns the error sent to the caller for any store fault (fail closed). */
const storeDown = (cause: unknown): GatewayError => (cause instanceof GatewayError ? cause : new StoreFault(cause));

/** Runs a call to a store; its faults become `service_unavailable`. */
export async function storeResult<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw storeDown(cause);
  }
}

/**
 * Returns the condition for replacing the row that was read. If no row was read, the condition requires that none
 * exists.
 */
export const ifUnchanged = (read: { readonly revision: number | string } | undefined, keyName = 'id'): Condition =>
  read ? { equals: ['revision', read.revision] } : { absent: keyName };

/** Yields a query's rows page by page. If the reader ends the loop, no more pages are read. */
export async function* queryPages<R extends object = Row>(
  store: Store,
  table: StoreTable,
  query: Query,
): AsyncGenerator<R, void> {
  let after: Key | undefined;
  do {
    const page = await store.query<R>(table, { ...query, after });
    yield* page.rows;
    after = page.next;
  } while (after);
}

export async function allRows<R extends object = Row>(store: Store, table: StoreTable, query: Query): Promise<R[]> {
  const rows: R[] = [];
  for await (const row of queryPages<R>(store, table, query)) rows.push(row);
  return rows;
}
