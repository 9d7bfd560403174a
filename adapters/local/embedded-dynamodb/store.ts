/** The embedded store: DynamoDB's operations over a SQLite database in this process. */
import { Catalog } from './catalog.ts';
import { Database, type DatabaseOptions } from './database.ts';
import { EventLoopYield } from './event-loop-yield.ts';
import { broken, invalid, isFault } from './faults.ts';
import { query, scan } from './operations/page.ts';
import { batchGetItem, batchWriteItem, getItem } from './operations/reads.ts';
import {
  createTable,
  deleteTable,
  describeTable,
  describeTimeToLive,
  listTables,
  updateTimeToLive,
} from './operations/tables.ts';
import { Tokens } from './operations/tokens.ts';
import { transactGetItems, transactWriteItems } from './operations/transact.ts';
import { deleteItem, putItem, updateItem } from './operations/write-item.ts';

export interface EmbeddedStore {
  /**
   * Executes an operation, e.g. `GetItem`. Its writes are stored when the promise resolves; none are if it rejects.
   * @throws the errors of DynamoDB's client; `InternalServerError` if the database fails
   */
  execute(operation: string, input: object): Promise<object>;
  /** Stores pending writes and closes the file. */
  close(): void;
}

interface StoreOptions extends DatabaseOptions {
  readonly now?: (() => number) | undefined;
}

type Operation = (input: never) => object;

/** @throws Error in one line for a file that is not such a store */
export function openEmbeddedStore({ now = Date.now, ...options }: StoreOptions = {}): EmbeddedStore {
  const db = new Database(options);
  const catalog = catalogOf(db);
  const turns = new EventLoopYield();
  const tokens = new Tokens(now);
  db.abandoned = () => tokens.forget();
  const operations = new Map<string, Operation>([
    ['GetItem', (input) => getItem(catalog, input)],
    ['PutItem', (input) => putItem(catalog, input)],
    ['UpdateItem', (input) => updateItem(catalog, input)],
    ['DeleteItem', (input) => deleteItem(catalog, input)],
    ['Query', (input) => query(catalog, db, input)],
    ['Scan', (input) => scan(catalog, db, input)],
    ['BatchGetItem', (input) => batchGetItem(catalog, input)],
    ['BatchWriteItem', (input) => batchWriteItem(catalog, input)],
    ['TransactWriteItems', (input) => transactWriteItems(catalog, tokens, input)],
    ['TransactGetItems', (input) => transactGetItems(catalog, input)],
    ['CreateTable', (input) => createTable(catalog, now, input)],
    ['DescribeTable', (input) => describeTable(catalog, input)],
    ['DeleteTable', (input) => deleteTable(catalog, input)],
    ['ListTables', (input) => listTables(catalog, input)],
    ['UpdateTimeToLive', (input) => updateTimeToLive(catalog, input)],
    ['DescribeTimeToLive', (input) => describeTimeToLive(catalog, input)],
  ]);

  /**
   * Executes an operation. A fault of the database also rolls back the other writes of the turn: it may have left a
   * write unfinished.
   */
  function carriedOut(operation: string, input: object): object {
    const work = operations.get(operation);
    if (!work)
      throw invalid(`The embedded store has no operation ${operation}; it has ${[...operations.keys()].join(', ')}`);
    try {
      return work(input as never);
    } catch (thrown) {
      if (isFault(thrown)) throw thrown;
      db.abandon(thrown);
      throw broken(thrown);
    }
  }

  return {
    async execute(operation, input) {
      const turn = turns.wait();
      if (turn) await turn;
      let output: object | undefined;
      let fault: unknown;
      try {
        output = carriedOut(operation, input);
      } catch (thrown) {
        fault = thrown;
      }
      // Answers only after every write that was read is stored, even if a condition failed.
      const kept = db.kept();
      if (kept) await kept;
      if (output === undefined) throw fault;
      return output;
    },
    close: () => db.close(),
  };
}

function catalogOf(db: Database): Catalog {
  try {
    return new Catalog(db);
  } catch (cause) {
    db.close();
    throw cause;
  }
}
