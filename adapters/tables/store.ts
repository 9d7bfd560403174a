/**
 * A store of rows, which both hosts implement: over DynamoDB (`adapters/aws/dynamodb`) and over SQLite
 * (`adapters/local/sqlite`). Conditions and changes are data: one driver renders them as expressions, the other
 * executes them.
 */
import type { TableName } from '#core/contracts/tables.ts';
import { GatewayError } from '#core/kernel/errors.ts';

/** A table of the gateway, or one of the local run only. */
export type StoreTable = TableName | 'executions' | 'objects';

/** Attributes by name: JSON values, or as a whole bytes or a set of strings. Undefined members are not stored. */
export type Row = Readonly<Record<string, unknown>>;
/** The attributes that identify a row: those of the table's key; of a place in an index, also those of its key. */
export type Key = Readonly<Record<string, string>>;
/** An attribute by name, or the way through maps to a member. */
export type Path = string | readonly string[];

/** Attributes of a stored row besides the record it holds: keys of its indexes and its time to live. */
export type Beside<Name extends string> = { readonly [Each in Name]?: unknown };

type Scalar = string | number | boolean;

/** A condition on a row. Comparisons with a missing attribute are false, except `differs`. */
export type Condition =
  | { readonly absent: Path }
  | { readonly present: Path }
  | { readonly equals: readonly [Path, Scalar] }
  | { readonly differs: readonly [Path, Scalar] }
  | { readonly below: readonly [Path, string | number] }
  | { readonly atMost: readonly [Path, string | number] }
  | { readonly above: readonly [Path, string | number] }
  /** Number of members of a map or set. */
  | { readonly fewer: readonly [Path, number] }
  /** A set of strings has this member. */
  | { readonly holds: readonly [Path, string] }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] };

/** Changes to the attributes of one row. Values that are undefined are left out. */
export interface Change {
  readonly set?: Row;
  /** Members of maps; the maps must exist. */
  readonly setIn?: readonly (readonly [readonly string[], unknown])[];
  readonly setIfAbsent?: Row;
  readonly remove?: readonly Path[];
  /** Adds to a number or to a set of strings. A missing attribute counts as 0 or as an empty set. */
  readonly add?: Readonly<Record<string, number | ReadonlySet<string>>>;
}

export interface WriteOptions {
  readonly if?: Condition | undefined;
  /** A refusal returns the row at which the condition failed. */
  readonly current?: boolean;
}

/** Outcome of one write. `row` is present if it was asked for and there is one. */
export interface Outcome<R extends object = Row> {
  /** False if the condition did not hold. */
  readonly written: boolean;
  readonly row?: R;
}

/** One write of a transaction. */
export type Write =
  | ({ readonly put: StoreTable; readonly row: Row } & WriteOptions)
  | ({ readonly update: StoreTable; readonly key: Key; readonly change: Change } & WriteOptions);

/** Contribution of one write to the cancellation of its transaction. */
export interface Reason {
  /** `busy`: another transaction was writing the row; `fault`: the store did not accept the write. */
  readonly code: 'none' | 'condition' | 'busy' | 'fault';
  readonly row?: Row;
}

export interface Cancelled {
  /** In the order of the writes. */
  readonly reasons: readonly Reason[];
}

export interface Query {
  /** An index, whose rows are keys unless it projects all attributes. Indexes may lag. */
  readonly index?: string;
  /** Value of the partition key. */
  readonly partition: string;
  /** Bounds of the sort key; `from` and `to` are included. */
  readonly range?:
    | { readonly from: string; readonly to?: string }
    | { readonly before: string }
    | { readonly prefix: string };
  readonly order?: 'ascending' | 'descending';
  /** Maximum number of rows that are read; `filter` then leaves rows out. */
  readonly limit?: number;
  /** The `next` of the previous page. */
  readonly after?: Key | undefined;
  readonly filter?: Condition;
  /** Names of the attributes to return. */
  readonly only?: readonly string[];
  readonly stale?: boolean;
}

interface ReadOptions {
  /** A replica that lags may answer. Otherwise a read returns every earlier write. */
  readonly stale?: boolean;
}

/**
 * Rows must not be changed by those who read them. Faults are a `StoreFault`: nothing was written, as far as is known.
 */
export interface Store {
  /**
   * Rows with near keys are stored side by side, and one partition takes every write. Keys then follow the time of
   * writing; otherwise they are spread over partitions.
   */
  readonly clustered?: boolean;
  /** @param options.together waits for no other read, but those of one turn of the event loop share a request */
  get<R extends object = Row>(
    table: StoreTable,
    key: Key,
    options?: ReadOptions & { readonly together?: boolean },
  ): Promise<R | undefined>;
  /** Returns the rows in the order of the keys; undefined for each that is missing. */
  getMany<R extends object = Row>(
    reads: readonly (readonly [StoreTable, Key])[],
    /** `once` fails if one request does not return all rows. */
    options?: ReadOptions & { readonly once?: boolean },
  ): Promise<(R | undefined)[]>;
  query<R extends object = Row>(
    table: StoreTable,
    query: Query,
  ): Promise<{ readonly rows: readonly R[]; readonly next?: Key }>;
  put<R extends object = Row>(table: StoreTable, row: Row, options?: WriteOptions): Promise<Outcome<R>>;
  /** Puts rows without a condition, in no order. If it fails, some of them may be stored. */
  putMany(table: StoreTable, rows: readonly Row[]): Promise<void>;
  /**
   * Changes a row; without a condition, one that does not exist is created. @param options.after returns the changed
   * row
   */
  update<R extends object = Row>(
    table: StoreTable,
    key: Key,
    change: Change,
    options?: WriteOptions & { readonly after?: boolean },
  ): Promise<Outcome<R>>;
  remove(table: StoreTable, key: Key, options?: Pick<WriteOptions, 'if'>): Promise<Outcome>;
  /** Makes all writes, of different rows, or none. */
  transact(writes: readonly Write[]): Promise<'written' | Cancelled>;
}

/** Options of every table adapter. */
export interface StoreOptions {
  readonly store: Store;
}

/**
 * The store did not answer, or not as it should. `busy`: another transaction was writing the row; `input`: it refused
 * the request as such, e.g. because of its size.
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

/** Returns the refusal of the caller for any fault of a store (fail closed). */
const storeDown = (cause: unknown): GatewayError => (cause instanceof GatewayError ? cause : new StoreFault(cause));

/** Runs a call to a store; its faults become `service_unavailable`. */
export async function stored<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw storeDown(cause);
  }
}

/** Returns the condition of a write that replaces what was read. If there was none, it requires that none exists. */
export const ifUnchanged = (read: { readonly revision: number | string } | undefined, keyName = 'id'): Condition =>
  read ? { equals: ['revision', read.revision] } : { absent: keyName };

/** Yields the rows of a query page by page. If the reader ends the loop, no further page is read. */
export async function* queried<R extends object = Row>(
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
  for await (const row of queried<R>(store, table, query)) rows.push(row);
  return rows;
}
