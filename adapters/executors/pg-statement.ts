/**
 * One statement in PostgreSQL's extended protocol, for `pg`'s client: exactly one (the server refuses a second
 * statement in the same query), with bound values and a row limit.
 */
import type { Connection, Submittable } from 'pg';
import type { SqlResult, SqlStatement } from '#core/execution/executors/ports.ts';
import { type Column, resultFields, rowOf } from './pg-result.ts';

interface Limits {
  readonly maxRows: number;
  /** Maximum number of bytes kept; the rest is dropped. */
  readonly maxBytes: number;
  /** Stops requesting rows from the server at that limit. A statement that changes data always runs to completion. */
  readonly stopEarly: boolean;
}

/** The parts of `pg`'s connection that its types omit. */
interface Wire extends Omit<Connection, 'bind' | 'execute' | 'parse' | 'describe' | 'close'> {
  parse(query: { text: string; name: string }): void;
  bind(config: { values: readonly (string | null)[]; portal: string; statement: string }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(config: { portal: string; rows: number }): void;
  close(message: { type: 'P'; name: string }): void;
  sendCopyFail(message: string): void;
}

export class PgStatement implements Submittable {
  readonly done: Promise<SqlResult>;
  readonly #statement: SqlStatement;
  readonly #limits: Limits;
  readonly #settle: { resolve(result: SqlResult): void; reject(fault: unknown): void };
  readonly #rows: Record<string, unknown>[] = [];
  #columns: readonly Column[] = [];
  #fields: SqlResult['fields'] = [];
  #bytes = 0;
  #truncated = false;
  #affected: number | undefined;

  constructor(statement: SqlStatement, limits: Limits) {
    const { promise, resolve, reject } = Promise.withResolvers<SqlResult>();
    this.done = promise;
    this.#statement = statement;
    this.#limits = limits;
    this.#settle = { resolve, reject };
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    const { maxRows, stopEarly } = this.#limits;
    wire.parse({ text: this.#statement.text, name: '' });
    wire.bind({ values: this.#statement.values.map(boundText), portal: '', statement: '' });
    wire.describe({ type: 'P', name: '' });
    wire.execute({ portal: '', rows: stopEarly ? maxRows + 1 : 0 });
    // Also ends the portal, because a suspended portal is not read again.
    wire.sync();
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, typeId: dataTypeID }));
    this.#fields = resultFields(this.#columns);
  }

  handleDataRow({ fields, length }: { fields: readonly (string | null)[]; length: number }): void {
    this.#bytes += length;
    if (this.#truncated || this.#rows.length >= this.#limits.maxRows || this.#bytes > this.#limits.maxBytes) {
      this.#truncated = true;
      return;
    }
    this.#rows.push(rowOf(this.#fields, this.#columns, fields));
  }

  handlePortalSuspended(): void {
    this.#truncated = true;
  }

  handleCommandComplete({ text }: { text: string }): void {
    const affected = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/.exec(text)?.[1];
    if (affected !== undefined) this.#affected = Number(affected);
  }

  handleEmptyQuery(): void {}

  handleCopyInResponse(connection: Connection): void {
    (connection as unknown as Wire).sendCopyFail('COPY is not supported');
  }

  handleCopyData(): void {}

  handleError(fault: unknown): void {
    this.#settle.reject(fault);
  }

  handleReadyForQuery(): void {
    this.#settle.resolve({
      rows: this.#rows,
      row_count: this.#affected ?? this.#rows.length,
      fields: this.#fields,
      truncated: this.#truncated,
    });
  }
}

/** Returns a parameter as text. Values that are not scalars become JSON, which the server parses for JSON columns. */
function boundText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
