/**
 * Executor `sql`: PostgreSQL through its driver, Aurora through the RDS Data API. Actions of capability `read` run in a
 * READ ONLY transaction regardless of their SQL. Others run in one transaction, which is committed as a whole.
 */
import type { ExecutorSettings, SqlDatabaseEntry } from '#core/contracts/config.ts';
import { withoutSecrets } from '#core/execution/credentials/redact-values.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { callRefused, ExecutionFault } from './fault.ts';
import { namedExecutor } from './named-executor.ts';
import type { Executor, ExecutorPorts, SqlResult } from './ports.ts';
import { assertTarget, databaseOf, serverOf } from './sql/database.ts';

const statements = lazyImport(() => import('./sql/statements.ts'));

export function sqlExecutor(
  { databases, max_rows, max_result_bytes }: ExecutorSettings['sql'],
  { secrets, postgres, dataApi }: Pick<ExecutorPorts, 'secrets' | 'postgres' | 'dataApi'>,
): Executor {
  const reachable = databases.filter(({ resource_arn }) => (resource_arn === undefined ? postgres : dataApi));
  return namedExecutor({
    name: 'sql',
    upstreamOf: (envelope) =>
      envelope.protocol.toLowerCase() === 'sql' ? databaseOf(envelope, reachable)?.name : undefined,
    async run(envelope, credential, { signal }) {
      const entry = databaseOf(envelope, reachable)!;
      assertTarget(envelope.target, entry, databases);
      const { sqlCallOf } = await statements();
      const work = {
        ...sqlCallOf(envelope),
        maxRows: max_rows,
        maxResultBytes: max_result_bytes,
        statementTimeoutMs: entry.statement_timeout_ms,
      };
      const cluster = clusterOf(entry);
      if (cluster) return singleOrList(await dataApi!({ ...work, server: cluster }, signal));
      const { server, configured } = await serverOf(entry, credential, secrets);
      try {
        return withoutSecrets(singleOrList(await postgres!({ ...work, server }, signal)), configured);
      } catch (thrown) {
        throw withoutLogin(thrown, configured);
      }
    },
  });
}

const clusterOf = ({ resource_arn, secret_arn, database }: SqlDatabaseEntry) =>
  resource_arn !== undefined && secret_arn !== undefined && database !== undefined
    ? { resourceArn: resource_arn, secretArn: secret_arn, database }
    : undefined;

/** Returns a single statement's result directly, and several results as a list. */
function singleOrList(results: readonly SqlResult[]): SqlResult | { readonly results: readonly SqlResult[] } {
  const [only, ...more] = results;
  if (!only) throw callRefused('the call contains no statement');
  return more.length === 0 ? only : { results };
}

/** Removes the configured login from a fault, just as a minted one is removed. */
function withoutLogin(thrown: unknown, secrets: readonly string[]): unknown {
  if (!(thrown instanceof ExecutionFault) || secrets.length === 0) return thrown;
  const { kind, effect, hint, status } = thrown;
  const message = withoutSecrets(thrown.message, secrets) as string;
  return new ExecutionFault(kind, message, { effect, ...(hint !== undefined && { hint }), status });
}
