/**
 * One process that uses the counters: `counters-worker.ts JOB`, where JOB is a `CountersJob` as JSON. Tells its parent
 * how many calls were let through, refused or failed; or ends itself in the middle of a call.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { countersTable } from '#adapters/dynamodb/counters-table.ts';
import { dynamoLedger } from '#adapters/dynamodb/ledger.ts';
import type { TableName } from '#core/contracts/tables.ts';
import type { Limits } from '#core/limits/ports.ts';

export interface CountersJob {
  readonly endpoint: string;
  readonly tables: Record<TableName, string>;
  /** The time it is for this process, so that no window moves while the machine is slow. */
  readonly nowMs: number;
  /** Calls go round them. */
  readonly tenants: readonly string[];
  readonly limits: Limits;
  readonly calls: number;
  readonly tokens: number;
  readonly cost_microusd: number;
  /** Calls that are let through are settled with so much; absent: they stay open. */
  readonly settle?: { readonly tokens: number; readonly cost_microusd: number };
  /** The process is killed right after this step of its calls. */
  readonly dieAfter?: 'reserve' | 'begin' | 'evidence' | 'settle-sent';
  readonly name: string;
}

export interface CountersTally {
  readonly accepted: number;
  readonly refused: readonly string[];
  readonly failed: readonly string[];
}

const job = JSON.parse(process.argv[2] ?? '') as CountersJob;
const client = new DynamoDBClient({
  endpoint: job.endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const counters = countersTable({ client, tables: job.tables, clock: { now: () => job.nowMs } });
const ledger = dynamoLedger({ client, tables: job.tables });

const die = () => process.kill(process.pid, 'SIGKILL');

/** The life of a call, as far as it goes. */
async function call(n: number): Promise<string> {
  const tenant = job.tenants[n % job.tenants.length]!;
  const id = `${job.name}-${n}`;
  const { tokens, cost_microusd, limits, dieAfter } = job;
  const request = { tenant, id, session_id: job.name, tokens, cost_microusd, limits };
  const outcome = await persistently(() => counters.reserve(request));
  if (!outcome.ok) return outcome.what;
  if (dieAfter === 'reserve' || !job.settle) return 'accepted';
  await counters.begin(tenant, id);
  if (dieAfter === 'begin') return 'accepted';
  await record(tenant, id);
  if (dieAfter === 'evidence') return 'accepted';
  const settling = counters.settle(tenant, id, { ...job.settle, counted: true });
  if (dieAfter === undefined) await settling;
  return 'accepted';
}

/** As clients do that are told to try again: a call that is shed has reserved nothing. */
async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (thrown) {
      if (tries === 50 || !String(thrown).includes('too busy')) throw thrown;
    }
  }
}

async function record(tenant: string, id: string): Promise<void> {
  const { tokens = 0, cost_microusd = 0 } = job.settle ?? {};
  await ledger.commit({
    draft: {
      tenant,
      session_id: job.name,
      timestamp: new Date(job.nowMs).toISOString(),
      kind: 'chat',
      envelope_id: id,
      actor: { key_id: 'k' },
      body: { usage: { input_tokens: tokens - 1, output_tokens: 1 }, cost_microusd, outcome: 'completed' },
    },
  });
}

const results = await Promise.allSettled(Array.from({ length: job.calls }, (_, n) => call(n)));
if (job.dieAfter === 'settle-sent') setImmediate(die);
else if (job.dieAfter !== undefined) die();
else {
  const said = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const tally: CountersTally = {
    accepted: said.filter((what) => what === 'accepted').length,
    refused: said.filter((what) => what !== 'accepted'),
    failed: results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
  };
  process.send?.(tally, () => process.disconnect());
  client.destroy();
}
