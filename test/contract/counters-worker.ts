/**
 * Process that uses the counters: it executes each `CountersJob` of its parent and reports allowed, refused and failed
 * calls, or ends itself in the middle of a call.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { countersTable } from '#adapters/tables/counters-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { TableName } from '#core/contracts/tables.ts';
import type { Counters, Limits } from '#core/limits/ports.ts';

type Ledger = ReturnType<typeof tableLedger>;

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

const die = () => process.kill(process.pid, 'SIGKILL');

/** One job with counters of its own. */
async function run(job: CountersJob): Promise<CountersTally | undefined> {
  const client = new DynamoDBClient({
    endpoint: job.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const store = dynamoStore({ client, tables: job.tables });
  const counters = countersTable({ store, clock: { now: () => job.nowMs } });
  const ledger = tableLedger({ store });
  const results = await Promise.allSettled(Array.from({ length: job.calls }, (_, n) => call(job, counters, ledger, n)));
  if (job.dieAfter === 'settle-sent') return void setImmediate(die);
  if (job.dieAfter !== undefined) return void die();
  client.destroy();
  const said = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  return {
    accepted: said.filter((what) => what === 'accepted').length,
    refused: said.filter((what) => what !== 'accepted'),
    failed: results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
  };
}

/** The life of a call, as far as known. */
async function call(job: CountersJob, counters: Counters, ledger: Ledger, n: number): Promise<string> {
  const tenant = job.tenants[n % job.tenants.length]!;
  const id = `${job.name}-${n}`;
  const { tokens, cost_microusd, limits, dieAfter } = job;
  const request = { tenant, id, session_id: job.name, tokens, cost_microusd, limits };
  const outcome = await persistently(() => counters.reserve(request));
  if (!outcome.ok) return outcome.what;
  if (dieAfter === 'reserve' || !job.settle) return 'accepted';
  await counters.begin(tenant, id);
  if (dieAfter === 'begin') return 'accepted';
  await record(job, ledger, tenant, id);
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

async function record(job: CountersJob, ledger: Ledger, tenant: string, id: string): Promise<void> {
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

process.on('message', async (job: CountersJob) => {
  const tally = await run(job);
  if (tally) process.send?.(tally);
});
