import { type ChildProcess, fork as forkProcess } from 'node:child_process';
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { healReservations } from '#core/limits/heal.ts';
import type { Counters, Limits } from '#core/limits/ports.ts';
import { over } from '../support/dynamo.ts';
import { budget, call, globalBudget, noLimits, now, refusal, settled } from '../unit/limits/sample.ts';
import { client, clock, server, stores, tables, time, workers } from './counter-store.ts';
import type { CountersJob, CountersTally } from './counters-worker.ts';

/** Counters that write down what they send. */
function watched(): { readonly counters: Counters; readonly sent: string[] } {
  const sent: string[] = [];
  const counters = stores((send) => (command) => {
    sent.push(command.constructor.name.replace('Command', ''));
    return send(command);
  });
  return { counters, sent };
}
const job = (over: Partial<CountersJob>): CountersJob => ({
  endpoint: server.endpoint,
  tables,
  nowMs: now,
  tenants: ['t'],
  limits: noLimits,
  calls: 25,
  tokens: 10,
  cost_microusd: 0,
  name: 'w',
  ...over,
});
const fork = (): ChildProcess => {
  const worker = forkProcess(`${__dirname}/counters-worker.ts`);
  workers.push(worker);
  return worker;
};
/** Runs a job in a worker and returns its tally; undefined if the job ends the worker. */
const work = (over: Partial<CountersJob>, worker = fork()) =>
  new Promise<CountersTally | undefined>((resolve, reject) => {
    const ended = (code: number | null, signal: NodeJS.Signals | null) =>
      signal === 'SIGKILL' ? resolve(undefined) : reject(new Error(`exit ${code}`));
    worker.once('exit', ended).once('message', (tally) => {
      worker.off('exit', ended);
      resolve(tally as CountersTally);
    });
    worker.send(job(over));
  });
/** One job for each of so many processes, which the tests share. */
const crowdWorkers: ChildProcess[] = [];
async function crowd(size: number, over: (i: number) => Partial<CountersJob>): Promise<CountersTally> {
  while (crowdWorkers.length < size) crowdWorkers.push(fork());
  const tallies = await Promise.all(
    crowdWorkers.slice(0, size).map((worker, i) => work({ name: `w${i}`, ...over(i) }, worker)),
  );
  return {
    accepted: tallies.reduce((sum, tally) => sum + (tally?.accepted ?? 0), 0),
    refused: tallies.flatMap((tally) => tally?.refused ?? []),
    failed: tallies.flatMap((tally) => tally?.failed ?? []),
  };
}
describe('several processes on one tenant', () => {
  test('[limit.rate] 8 processes with 25 calls at once each let exactly the 100 requests of the limit pass', async () => {
    const limits = { requests_per_minute: 100, budgets: [] };
    const tally = await crowd(8, () => ({ tenants: ['crowd-rate'], limits }));
    expect(tally).toEqual({ accepted: 100, refused: Array(100).fill('requests_per_minute'), failed: [] });
    expect((await stores().status('crowd-rate', limits)).limits.remaining_requests).toBe(0);
  });

  test('[limit.budget] 200 calls at once against a budget worth 10 are let through 10 times, while others settle', async () => {
    const limits = { budgets: [budget(1000)] };
    const tally = await crowd(8, () => ({ tenants: ['crowd-budget'], limits, cost_microusd: 100 }));
    expect(tally).toEqual({ accepted: 10, refused: Array(190).fill('tenant'), failed: [] });
    const cheaper = await crowd(8, () => ({
      tenants: ['crowd-cheaper'],
      limits,
      cost_microusd: 100,
      settle: { tokens: 10, cost_microusd: 100 },
    }));
    expect(cheaper.accepted).toBe(10);
    const { budgets, open } = await stores().status('crowd-cheaper', limits);
    expect({ budgets, open }).toMatchObject({ budgets: [{ used_microusd: 1000, tier: 'exhausted' }], open: 0 });
  });

  test('[limit.budget] a global budget of three tenants in four processes is never passed', async () => {
    const limits = { budgets: [globalBudget(10_000)] };
    const tenants = ['global-a', 'global-b', 'global-c'];
    const tally = await crowd(4, () => ({ tenants, limits, cost_microusd: 70, calls: 75 }));
    expect(tally.failed).toEqual([]);
    expect(tally.accepted * 70).toBeLessThanOrEqual(10_000);
    const statuses = await Promise.all(tenants.map((tenant) => stores().status(tenant, limits)));
    const open = statuses.reduce((sum, status) => sum + status.open, 0);
    expect(open).toBe(tally.accepted);
    // What is left lies in slices too small for one more call: every tenant was refused in the end.
    expect(10_000 - open * 70).toBeLessThan(70 * 3 + 70);
    for (const { budgets } of statuses) expect(budgets[0]!.used_microusd).toBeLessThanOrEqual(10_000);
  });
});
describe('a process that is killed', () => {
  const limits: Limits = { requests_per_minute: 100, tokens_per_minute: 10_000, budgets: [budget(100_000)] };
  const billed = { tokens: 40, cost_microusd: 300 };
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'test' });

  const healing = () => ({
    ...{ clock, evidence: evidenceTable(over(client, tables)), ledger: tableLedger(over(client, tables)), telemetry },
  });
  const heal = (tenant: string) => healReservations({ ...healing(), counters: stores() }, [tenant]);

  test.each([
    // Nothing had happened: everything is given back.
    ['reserve', { remaining_requests: 100, remaining_tokens: 10_000 }, 0],
    // The provider was being called and nobody knows the rest: what was reserved is charged.
    ['begin', { remaining_requests: 97, remaining_tokens: 10_000 - 3 * 100 }, 3 * 500],
    // The evidence says what it came to.
    ['evidence', { remaining_requests: 97, remaining_tokens: 10_000 - 3 * 40 }, 3 * 300],
    // Written or not, it is charged once.
    ['settle-sent', { remaining_requests: 97, remaining_tokens: 10_000 - 3 * 40 }, 3 * 300],
  ] as const)(
    '[limit.budget] after the step %s leaves nothing reserved once its lease has ended',
    async (dieAfter, left, spent) => {
      time.ms = now;
      const tenant = `killed-${dieAfter}`;
      await work({
        tenants: [tenant],
        limits,
        calls: 3,
        tokens: 100,
        cost_microusd: 500,
        settle: billed,
        dieAfter,
        name: tenant,
      });
      const before = (await stores().status(tenant, limits)).open;
      if (dieAfter !== 'settle-sent') expect(before).toBe(3);
      expect(await heal(tenant)).toBe(0);

      // The lease has ended while the second of the calls still counts.
      time.ms = now + 60_000;
      const healed = await Promise.all([heal(tenant), heal(tenant)]);
      expect(Math.max(...healed)).toBe(before);
      const { limits: rates, budgets, open } = await stores().status(tenant, limits);
      expect({ open, spent: budgets[0]!.used_microusd }).toEqual({ open: 0, spent });
      expect(rates).toMatchObject(left);
      expect(await heal(tenant)).toBe(0);
      time.ms = now;
    },
  );
});
describe('the way to the store', () => {
  test('a reserve is one write and no read; so is a settle; a process looks once before its first', async () => {
    const { counters, sent } = watched();
    const first = call({ requests_per_minute: 5, budgets: [budget(100)] }, { tenant: 'steps' });
    await counters.reserve(first);
    await counters.begin('steps', first.id);
    await counters.settle('steps', first.id, settled());
    expect(sent).toEqual(['GetItem', 'PutItem', 'PutItem', 'PutItem']);
  });

  test('[limit.none] a tenant without limits and budgets costs no store step at all', async () => {
    const { counters, sent } = watched();
    const free = call(noLimits, { tenant: 'free' });
    expect(await counters.reserve(free)).toEqual({ ok: true, limits: {}, budgets: [] });
    await counters.begin('free', free.id);
    await counters.extend('free', free.id);
    await counters.settle('free', free.id, settled());
    expect(sent).toEqual([]);
    // With a budget alone it does.
    await counters.reserve(call({ budgets: [budget(100)] }, { tenant: 'held' }));
    expect(sent).toEqual(['GetItem', 'PutItem']);
  });

  test('[limit.none] a provider that is called at once is noted with the reservation: a call is two writes', async () => {
    const { counters, sent } = watched();
    const limits = { budgets: [budget(1000)] };
    const one = call(limits, { tenant: 'at-once', cost_microusd: 70, begun: true });
    await counters.reserve(one);
    time.ms = now + 60_000;
    expect(await stores().expired('at-once')).toMatchObject([{ id: one.id, begun: true }]);
    time.ms = now;
    await counters.settle('at-once', one.id, settled({ cost_microusd: 7 }));
    expect(sent).toEqual(['GetItem', 'PutItem', 'PutItem']);
    expect((await stores().status('at-once', limits)).budgets[0]!.used_microusd).toBe(7);
  });

  test('calls at once share writes: 16 take no more than three', async () => {
    const { counters, sent } = watched();
    const limits = { requests_per_minute: 100, budgets: [] };
    await counters.reserve(call(limits, { tenant: 'grouped' }));
    sent.length = 0;
    // Not in one go: as requests come in, each in its own turn of the loop.
    const calls = Array.from({ length: 16 }, async (_, i) => {
      for (let turns = 0; turns < i; turns++) await undefined;
      return counters.reserve(call(limits, { tenant: 'grouped' }));
    });
    const outcomes = await Promise.all(calls);
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(new Set(outcomes.map(({ limits: { remaining_requests } }) => remaining_requests)).size).toBe(16);
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  test('[limit.rate] a refusal is decided by the store, never from memory, and writes no row', async () => {
    const { counters, sent } = watched();
    const limits = { requests_per_minute: 1, budgets: [] };
    const only = call(limits, { tenant: 'fresh' });
    await counters.reserve(only);
    const elsewhere = stores();
    await elsewhere.settle('fresh', only.id, settled({ counted: false }));
    sent.length = 0;
    expect((await counters.reserve(call(limits, { tenant: 'fresh' }))).ok).toBe(true);
    expect(sent).toEqual(['GetItem', 'PutItem']);
    sent.length = 0;
    expect((await counters.reserve(call(limits, { tenant: 'fresh' }))).ok).toBe(false);
    expect(sent).toEqual(['GetItem']);
  });

  test('a late write reads the current state from the refusal', async () => {
    const { counters, sent } = watched();
    const limits = { requests_per_minute: 3, budgets: [] };
    await counters.reserve(call(limits, { tenant: 'late' }));
    await stores().reserve(call(limits, { tenant: 'late' }));
    sent.length = 0;
    expect((await counters.reserve(call(limits, { tenant: 'late' }))).limits.remaining_requests).toBe(0);
    expect(sent).toEqual(['PutItem', 'PutItem']);
  });

  test('[limit.budget] an idle slice is given back, and another tenant may spend it', async () => {
    const limits = { budgets: [{ ...globalBudget(1600), account: 'global:idle' }] };
    const [one, two] = [stores(), stores()];
    const spent = call(limits, { tenant: 'idle-1', cost_microusd: 1000 });
    await one.reserve(spent);
    await one.settle('idle-1', spent.id, settled({ cost_microusd: 100 }));
    const large = () => two.reserve(call(limits, { tenant: 'idle-2', cost_microusd: 1500 }));
    expect(refusal(await large())).toMatchObject({ code: 'budget_exceeded', what: 'global:idle' });
    expect(await one.reclaim('idle-1')).toBe(0);
    time.ms = now + 60_000;
    expect(await stores().reclaim('idle-1')).toBe(900);
    expect(await one.reclaim('idle-1')).toBe(0);
    expect((await large()).ok).toBe(true);
    expect((await one.status('idle-1', limits)).budgets).toMatchObject([{ used_microusd: 1600, tier: 'exhausted' }]);
    time.ms = now;
  });
});
