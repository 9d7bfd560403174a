/** Runs one transaction on a PostgreSQL server, on a separate connection. */
import { Client, type ClientConfig } from 'pg';
import { ExecutionFault, type ExecutionFaultKind } from '#core/execution/executors/fault.ts';
import { quoteText } from '#core/execution/executors/named-executor.ts';
import type { PostgresServer, SqlResult, SqlTransaction, SqlWork } from '#core/execution/executors/ports.ts';
import { PgStatement } from './pg-statement.ts';

const connectMs = 10_000;
/** Time in addition to the statement's own limit. */
const slackMs = 5_000;
/**
 * Factor of the result limit at which the connection is closed, because the driver buffers a whole row before it passes
 * it on.
 */
const hardLimitFactor = 16;

export const postgresTransaction: SqlTransaction<PostgresServer> = async (work, signal) => {
  const client = new Client(configOf(work));
  const state: TransactionState = { committing: false };
  const abandoned = watch(client, work, signal, state);
  try {
    await Promise.race([client.connect(), abandoned.fault]);
    state.connected = true;
    abandoned.count();
    return await Promise.race([transact(client, work, state), abandoned.fault]);
  } catch (thrown) {
    throw postgresFault(thrown, state);
  } finally {
    abandoned.stop();
    // Not awaited: a hanging server would delay the response.
    client.end().catch(() => {});
    if (state.broken) socketOf(client).destroy();
  }
};

interface TransactionState {
  connected?: true;
  /** True after COMMIT has been sent but before it is confirmed. */
  committing: boolean;
  broken?: true;
}

function configOf({ server, statementTimeoutMs }: SqlWork<PostgresServer>): ClientConfig {
  const { host, port, database, user, password, tls, ca } = server;
  return {
    host,
    port,
    database,
    user,
    password,
    ssl: tls === 'off' ? false : { rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
    connectionTimeoutMillis: Math.min(connectMs, statementTimeoutMs),
    application_name: 'agent-governance-gateway',
  };
}

async function transact(
  client: Client,
  work: SqlWork<PostgresServer>,
  state: TransactionState,
): Promise<readonly SqlResult[]> {
  const { readOnly, maxRows, maxResultBytes: maxBytes, statementTimeoutMs } = work;
  // The SELECT takes the snapshot. After that, the transaction cannot become writable.
  await client.query(
    `BEGIN ${readOnly ? 'READ ONLY' : 'READ WRITE'}; SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL search_path = public; SELECT 1`,
  );
  const results: SqlResult[] = [];
  for (const statement of work.statements)
    results.push(await client.query(new PgStatement(statement, { maxRows, maxBytes, stopEarly: readOnly })).done);
  if (readOnly) {
    await client.query('ROLLBACK');
    return results;
  }
  state.committing = true;
  const { command } = await client.query('COMMIT');
  state.committing = false;
  // PostgreSQL responds to a COMMIT of a failed transaction with ROLLBACK.
  if (command === 'COMMIT') return results;
  throw new ExecutionFault('conflict', 'the database rolled the transaction back');
}

/** Disconnects when the caller leaves, when time runs out, or when the server sends more than allowed. */
function watch(
  client: Client,
  work: SqlWork<PostgresServer>,
  signal: AbortSignal | undefined,
  state: TransactionState,
) {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const leave = (kind: ExecutionFaultKind, message: string) => {
    state.broken = true;
    reject(new ExecutionFault(kind, message));
    socketOf(client).destroy();
  };
  const cancel = () => leave('cancelled', 'it was cancelled');
  const late = () => leave('timeout', `no response arrived within ${longestMs} ms`);
  const longestMs = work.statementTimeoutMs * (work.statements.length || 1) + slackMs;
  const timer = setTimeout(late, longestMs);
  signal?.addEventListener('abort', cancel, { once: true });
  client.on('error', (fault) => {
    state.broken = true;
    reject(fault);
  });
  return {
    fault: promise,
    /** Counts the bytes on the socket that carries the responses; TLS may replace that socket while connecting. */
    count: () => {
      const limit = work.maxResultBytes * hardLimitFactor;
      let bytes = 0;
      socketOf(client).on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > limit) leave('too_large', `the result is larger than ${limit} bytes`);
      });
    },
    stop: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    },
  };
}

const socketOf = (client: Client) =>
  (client as unknown as { connection: { stream: import('node:net').Socket } }).connection.stream;

/**
 * Returns the fault. The outcome is unknown only between COMMIT and its confirmation: before that, the server rolls
 * back.
 */
function postgresFault(thrown: unknown, { connected, committing }: TransactionState): ExecutionFault {
  if (thrown instanceof ExecutionFault) {
    const { kind, message } = thrown;
    return committing ? new ExecutionFault(kind, message, { effect: 'unknown' }) : thrown;
  }
  const { code, message } = (thrown ?? {}) as { code?: string; message?: string };
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code))
    return databaseFault(code, quoteText(message ?? ''), committing);
  const why = code === undefined ? '' : ` (${code})`;
  if (!connected) return new ExecutionFault('unreachable', `no connection could be made${why || reasonOf(message)}`);
  return new ExecutionFault('cut', `the connection ended before the response was complete${why}`, {
    effect: committing ? 'unknown' : 'none',
  });
}

/**
 * Quotes the driver's message if the fault occurred before the connection was open, as with certificate or protocol
 * errors.
 */
const reasonOf = (message: string | undefined): string => (message ? `: ${quoteText(message)}` : '');

/** Maps SQLSTATE classes to faults, as far as callers need the distinction. */
function databaseFault(code: string, message: string, committing: boolean): ExecutionFault {
  const words = `PostgreSQL says "${message}" (${code})`;
  // A constraint violation or conflict found at COMMIT is a refusal; if the server shuts down meanwhile, the state is
  // unknown.
  const effect = committing && !/^(?:23|40(?!003))/.test(code) ? 'unknown' : 'none';
  const fault = (kind: ExecutionFaultKind, hint?: string) =>
    new ExecutionFault(kind, words, { effect, ...(hint !== undefined && { hint }) });
  if (code === '25006') return fault('refused', 'The action has the capability read, so it must not change anything.');
  if (code === '57014') return fault('timeout', 'Nothing was changed. Ask for less, or raise statement_timeout_ms.');
  if (code === '42501')
    return fault('forbidden', 'The login lacks the required privilege: check its role in the database.');
  if (code === '42P01' || code === '3F000')
    return fault('not_found', 'Name tables outside schema public with their schema.');
  if (code.startsWith('28')) return fault('unauthorized');
  if (code.startsWith('23') || code.startsWith('40')) return fault('conflict', 'Nothing was changed.');
  if (code.startsWith('53') || code.startsWith('57')) return fault('unavailable');
  return fault('invalid', 'Nothing was changed. Correct the statement.');
}
