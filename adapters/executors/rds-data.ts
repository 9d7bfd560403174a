/** Runs one transaction on an Aurora cluster through the RDS Data API, without retries. */

import type {
  ColumnMetadata,
  ExecuteStatementCommandOutput,
  Field,
  RDSDataClient,
  RDSDataClientConfig,
  SqlParameter,
} from '@aws-sdk/client-rds-data';
import { onceWithDeadline } from '#adapters/aws/client-bounds.ts';
import { ExecutionFault, type ExecutionFaultKind } from '#core/execution/executors/fault.ts';
import { quoteText } from '#core/execution/executors/named-executor.ts';
import type {
  AuroraCluster,
  SqlResult,
  SqlStatement,
  SqlTransaction,
  SqlWork,
} from '#core/execution/executors/ports.ts';
import { namedPlaceholders, scanSql } from '#core/execution/executors/sql/scan.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { jsonOf, uniqueFields } from './pg-result.ts';

type Sdk = typeof import('./rds-data-sdk.ts') & { readonly client: Pick<RDSDataClient, 'send'> };

/** Runs transactions. The client is loaded on the first call. `client` replaces the SDK's own client in tests. */
export function rdsDataTransaction(
  config: RDSDataClientConfig = {},
  client?: Pick<RDSDataClient, 'send'>,
): SqlTransaction<AuroraCluster> {
  let connected: Promise<Sdk> | undefined;
  return async (work, signal) => {
    connected ??= import('./rds-data-sdk.ts').then((sdk) => ({
      ...sdk,
      client: client ?? new sdk.RDSDataClient({ ...onceWithDeadline, ...config, maxAttempts: 1 }),
    }));
    return transact(await connected, work, signal);
  };
}

async function transact(sdk: Sdk, work: SqlWork<AuroraCluster>, signal: AbortSignal | undefined) {
  const { resourceArn, secretArn, database } = work.server;
  const place = { resourceArn, secretArn };
  const options = {
    abortSignal: AbortSignal.any([AbortSignal.timeout(work.statementTimeoutMs + 10_000), ...(signal ? [signal] : [])]),
  };
  const send = async <T>(call: Promise<T>, committing = false): Promise<T> =>
    call.catch((thrown: unknown) => {
      throw rdsDataFault(thrown, options.abortSignal, committing);
    });
  const begun = await send(sdk.client.send(new sdk.BeginTransactionCommand({ ...place, database }), options));
  const { transactionId } = begun;
  if (transactionId === undefined) throw new ExecutionFault('malformed', 'it returned no transaction id');
  const execute = (sql: string, parameters?: SqlParameter[]) =>
    send(
      sdk.client.send(
        new sdk.ExecuteStatementCommand({
          ...place,
          database,
          transactionId,
          sql,
          includeResultMetadata: true,
          ...(parameters && { parameters }),
        }),
        options,
      ),
    );
  // Otherwise the transaction would hold its locks until the service ends it.
  const rollback = () =>
    sdk.client.send(new sdk.RollbackTransactionCommand({ ...place, transactionId })).then(
      () => {},
      () => {},
    );
  try {
    await execute(`SET TRANSACTION READ ${work.readOnly ? 'ONLY' : 'WRITE'}`);
    await execute(`SET LOCAL statement_timeout = ${work.statementTimeoutMs}`);
    await execute('SET LOCAL search_path = public');
    const results: SqlResult[] = [];
    for (const statement of work.statements) results.push(await run(execute, statement, work));
    if (work.readOnly) {
      await rollback();
      return results;
    }
    await send(sdk.client.send(new sdk.CommitTransactionCommand({ ...place, transactionId }), options), true);
    return results;
  } catch (thrown) {
    await rollback();
    throw thrown;
  }
}

type Execute = (sql: string, parameters?: SqlParameter[]) => Promise<ExecuteStatementCommandOutput>;

/** Fetches rows through a cursor if possible, because the service's only limit of its own is 1 MB. */
async function run(
  execute: Execute,
  statement: SqlStatement,
  { readOnly, maxRows, maxResultBytes }: SqlWork<AuroraCluster>,
) {
  const parameters = statement.values.map((value, i) => ({ name: `p${i + 1}`, ...fieldOf(value) }));
  const text = parameters.length === 0 ? statement.text : namedPlaceholders(statement.text);
  const cursor = readOnly && ['select', 'with', 'values', 'table', '('].includes(scanSql(text).firstWord);
  if (!cursor) return sqlResult(await execute(text, parameters), maxRows, maxResultBytes);
  const plain = text.trimEnd().replace(/;$/, '');
  await execute(`DECLARE gateway_rows NO SCROLL CURSOR FOR ${plain}\n`, parameters);
  const result = sqlResult(await execute(`FETCH FORWARD ${maxRows + 1} FROM gateway_rows`), maxRows, maxResultBytes);
  await execute('CLOSE gateway_rows');
  return result;
}

function fieldOf(value: unknown): { value: Field; typeHint?: 'JSON' } {
  if (value === null || value === undefined) return { value: { isNull: true } };
  if (typeof value === 'boolean') return { value: { booleanValue: value } };
  if (typeof value === 'number')
    return { value: Number.isSafeInteger(value) ? { longValue: value } : { doubleValue: value } };
  if (typeof value === 'string') return { value: { stringValue: value } };
  return { value: { stringValue: JSON.stringify(value) }, typeHint: 'JSON' };
}

function sqlResult(
  { records = [], columnMetadata = [], numberOfRecordsUpdated }: ExecuteStatementCommandOutput,
  maxRows: number,
  maxBytes: number,
): SqlResult {
  const fields = resultFields(columnMetadata);
  const rows: Record<string, unknown>[] = [];
  let bytes = 0;
  for (const record of records.slice(0, maxRows)) {
    const row = Object.fromEntries(
      fields.map(({ name, type }, i) => [name, plainValue(record[i] ?? { isNull: true }, type)]),
    );
    bytes += Buffer.byteLength(JSON.stringify(row));
    if (bytes > maxBytes) break;
    rows.push(row);
  }
  const row_count = fields.length > 0 ? rows.length : (numberOfRecordsUpdated ?? 0);
  return { rows, row_count, fields, truncated: rows.length < records.length };
}

const resultFields = (columns: readonly ColumnMetadata[]): SqlResult['fields'] =>
  uniqueFields(
    columns.map(({ label, name = 'column', typeName = 'text' }) => ({ name: label ?? name, type: typeName })),
  );

function plainValue(field: Field, type: string): unknown {
  if (field.isNull) return null;
  if (field.stringValue !== undefined) return /^jsonb?$/.test(type) ? jsonOf(field.stringValue) : field.stringValue;
  if (field.blobValue !== undefined) return Buffer.from(field.blobValue).toString('base64');
  if (field.arrayValue !== undefined) {
    const { stringValues, longValues, doubleValues, booleanValues } = field.arrayValue;
    return stringValues ?? longValues ?? doubleValues ?? booleanValues ?? [];
  }
  return field.longValue ?? field.doubleValue ?? field.booleanValue ?? null;
}

function rdsDataFault(thrown: unknown, ends: AbortSignal, committing: boolean): ExecutionFault {
  if (ends.aborted) {
    const late = isErrorNamed(ends.reason, 'TimeoutError');
    return new ExecutionFault(
      late ? 'timeout' : 'cancelled',
      late ? 'no response arrived in time' : 'it was cancelled',
      {
        effect: committing ? 'unknown' : 'none',
      },
    );
  }
  const {
    name = '',
    message = '',
    $metadata,
  } = (thrown ?? {}) as { name?: string; message?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  const kind = kinds.get(name) ?? (status === undefined ? 'unreachable' : 'unavailable');
  // A 4xx response is a refusal; any other may have been sent after the commit.
  const effect = committing && (status === undefined || status >= 500) ? 'unknown' : 'none';
  const words =
    kind === 'invalid' ? `the database says "${quoteText(message)}"` : `the RDS Data API answered ${name || 'nothing'}`;
  return new ExecutionFault(kind, words, { effect, status });
}

/** Fault kinds by exception name. */
const kinds: ReadonlyMap<string, ExecutionFaultKind> = new Map([
  ['DatabaseErrorException', 'invalid'],
  ['BadRequestException', 'invalid'],
  ['InvalidResourceStateException', 'invalid'],
  ['AccessDeniedException', 'forbidden'],
  ['ForbiddenException', 'forbidden'],
  ['InvalidSecretException', 'unauthorized'],
  ['SecretsErrorException', 'unauthorized'],
  ['DatabaseNotFoundException', 'not_found'],
  ['NotFoundException', 'not_found'],
  ['TransactionNotFoundException', 'not_found'],
  ['StatementTimeoutException', 'timeout'],
  ['UnsupportedResultException', 'too_large'],
]);
