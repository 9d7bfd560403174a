/** Counters backed by one store: several processes, killed processes, requests per call, and a store that fails. */

import { countersTable } from '#adapters/tables/counters-table.ts';
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { healReservations } from '#core/limits/heal.ts';
import type { Counters, Limits } from '#core/limits/ports.ts';
import { over } from '../support/dynamo.ts';
import { intercepted, testStore } from '../support/store.ts';
import { budget, call, globalBudget, noLimits, now, refusal, settled } from '../unit/limits/sample.ts';
import { client, clock, stores, tables, time } from './counter-store.ts';

/** Creates counters that record the commands they send. */
function watched(): { readonly counters: Counters; readonly sent: string[] } {
  const sent: string[] = [];
  const counters = stores((send) => (command) => {
    sent.push(command.constructor.name.replace('Command', ''));
    return send(command);
  });
  return { counters, sent };
}
interface Job {
  /** Tenants that the calls rotate through. */
  readonly tenants: readonly string[];
  readonly limits: Limits;
  readonly calls?: number;
  readonly tokens?: number;
  readonly cost_microusd?: number;
  /** Amounts that accepted calls are settled with. If absent, the calls stay open. */
  readonly settle?: { readonly tokens: number; readonly cost_microusd: number };
  /** Step of a call immediately after which the process is killed. */
  readonly dieAfter?: 'reserve' | 'begin' | 'evidence' | 'settle-sent';
}

let processes = 0;
/**
 * Simulates a separate process with its own memory: makes all of a job's calls concurrently, and sends nothing once it
 * has ended.
 */
async function work(job: Job) {
  let ended = false;
  const counters = stores((send) => async (command) => {
    if (ended) throw new Error('the process ended');
    return send(command);
  });
  const session_id = `w${++processes}`;
  const sent: Promise<void>[] = [];
  const ledger = tableLedger(over(client, tables));

  async function one(n: number): Promise<string> {
    const { limits, dieAfter, settle } = job;
    const [tenant, id] = [job.tenants[n % job.tenants.length]!, `${session_id}-${n}`];
    const { tokens = 10, cost_microusd = 0 } = job;
    const request = { tenant, id, session_id, tokens, cost_microusd, limits };
    const outcome = await persistently(() => counters.reserve(request));
    if (!outcome.ok) return outcome.what;
    if (dieAfter === 'reserve' || !settle) return 'accepted';
    await counters.begin(tenant, id);
    if (dieAfter === 'begin') return 'accepted';
    const usage = { input_tokens: settle.tokens - 1, output_tokens: 1 };
    const body = { usage, cost_microusd: settle.cost_microusd, outcome: 'completed' };
    const about = { tenant, session_id, timestamp: isoTime(now), kind: 'chat', actor: { key_id: 'k' } } as const;
    await ledger.commit({ draft: { ...about, envelope_id: id, body } });
    if (dieAfter === 'evidence') return 'accepted';
    const settling = counters.settle(tenant, id, { ...settle, counted: true });
    if (dieAfter === undefined) await settling;
    else sent.push(settling);
    return 'accepted';
  }

  const said = await Promise.all(Array.from({ length: job.calls ?? 25 }, (_, n) => one(n)));
  if (job.dieAfter === 'settle-sent') await new Promise((resolve) => setImmediate(resolve));
  ended = job.dieAfter !== undefined;
  await Promise.allSettled(sent);
  return said;
}
/** Retries as clients do when asked to; a shed call has reserved nothing. */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (thrown) {
      if (!String(thrown).includes('too busy')) throw thrown;
    }
  }
}
/** Runs a job in the given number of processes concurrently. */
async function crowd(size: number, job: Job) {
  const said = (await Promise.all(Array.from({ length: size }, () => work(job)))).flat();
  const refused = said.filter((what) => what !== 'accepted');
  return { accepted: said.length - refused.length, refused };
}
describe('several processes using one tenant', () => {
  test('[limit.rate] 8 processes making 25 concurrent calls each let through exactly the limit of 100 requests', async () => {
    const limits = { requests_per_minute: 100, budgets: [] };
    const tally = await crowd(8, { tenants: ['crowd-rate'], limits });
    expect(tally).toEqual({ accepted: 100, refused: Array(100).fill('requests_per_minute') });
    expect((await stores().status('crowd-rate', limits)).limits.remaining_requests).toBe(0);
  });

  test('[limit.budget] of 200 concurrent calls, the 10 that the budget covers are let through, while others settle', async () => {
    const limits = { budgets: [budget(1000)] };
    const tally = await crowd(8, { tenants: ['crowd-budget'], limits, cost_microusd: 100 });
    expect(tally).toEqual({ accepted: 10, refused: Array(190).fill('tenant') });
    const cheaper = await crowd(8, {
      tenants: ['crowd-cheaper'],
      limits,
      cost_microusd: 100,
      settle: { tokens: 10, cost_microusd: 100 },
    });
    expect(cheaper.accepted).toBe(10);
    const { budgets, open } = await stores().status('crowd-cheaper', limits);
    expect({ budgets, open }).toMatchObject({ budgets: [{ used_microusd: 1000, tier: 'exhausted' }], open: 0 });
  });

  test('[limit.budget] a global budget shared by three tenants in four processes is never exceeded', async () => {
    const limits = { budgets: [globalBudget(10_000)] };
    const tenants = ['global-a', 'global-b', 'global-c'];
    const tally = await crowd(4, { tenants, limits, cost_microusd: 70, calls: 75 });
    expect(tally.accepted * 70).toBeLessThanOrEqual(10_000);
    const statuses = await Promise.all(tenants.map((tenant) => stores().status(tenant, limits)));
    const open = statuses.reduce((sum, status) => sum + status.open, 0);
    expect(open).toBe(tally.accepted);
    // The rest is in slices too small for one more call: every tenant was refused in the end.
    expect(10_000 - open * 70).toBeLessThan(70 * 3 + 70);
    for (const { budgets } of statuses) expect(budgets[0]!.used_microusd).toBeLessThanOrEqual(10_000);
  });
});
describe('a killed process', () => {
  const limits: Limits = { requests_per_minute: 100, tokens_per_minute: 10_000, budgets: [budget(100_000)] };
  const billed = { tokens: 40, cost_microusd: 300 };
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'test' });

  const healing = () => ({
    clock,
    evidence: evidenceTable(over(client, tables)),
    ledger: tableLedger(over(client, tables)),
    telemetry,
  });
  const heal = (tenant: string) => healReservations({ ...healing(), counters: stores() }, [tenant]);

  test.each([
    // Nothing had happened yet, so everything is returned.
    ['reserve', { remaining_requests: 100, remaining_tokens: 10_000 }, 0],
    // The provider was being called, and the actual usage is unknown: the reserved amount is charged.
    ['begin', { remaining_requests: 97, remaining_tokens: 10_000 - 3 * 100 }, 3 * 500],
    // The evidence records the actual amount.
    ['evidence', { remaining_requests: 97, remaining_tokens: 10_000 - 3 * 40 }, 3 * 300],
    // Whether or not the settlement was written, it is charged once.
    ['settle-sent', { remaining_requests: 97, remaining_tokens: 10_000 - 3 * 40 }, 3 * 300],
  ] as const)(
    '[limit.budget] a process that dies after step %s leaves no reservation once its lease has ended',
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
      });
      const before = (await stores().status(tenant, limits)).open;
      if (dieAfter !== 'settle-sent') expect(before).toBe(3);
      expect(await heal(tenant)).toBe(0);

      // The lease ends while the second of the calls still counts.
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
describe('store requests', () => {
  test('a reserve is one write and no read, and so is a settle; a process reads once before its first write', async () => {
    const { counters, sent } = watched();
    const first = call({ requests_per_minute: 5, budgets: [budget(100)] }, { tenant: 'steps' });
    await counters.reserve(first);
    await counters.begin('steps', first.id);
    await counters.settle('steps', first.id, settled());
    expect(sent).toEqual(['GetItem', 'PutItem', 'PutItem', 'PutItem']);
  });

  test('[limit.none] a tenant without limits or budgets needs no store step at all', async () => {
    const { counters, sent } = watched();
    const free = call(noLimits, { tenant: 'free' });
    expect(await counters.reserve(free)).toEqual({ ok: true, limits: {}, budgets: [] });
    await counters.begin('free', free.id);
    await counters.extend('free', free.id);
    await counters.settle('free', free.id, settled());
    expect(sent).toEqual([]);
    // A budget on its own does need a counter.
    await counters.reserve(call({ budgets: [budget(100)] }, { tenant: 'held' }));
    expect(sent).toEqual(['GetItem', 'PutItem']);
  });

  test('[limit.none] if a provider is called immediately, the start is written with the reservation, so a call takes two writes', async () => {
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

  test('concurrent calls share writes: 16 calls need at most three', async () => {
    const { counters, sent } = watched();
    const limits = { requests_per_minute: 100, budgets: [] };
    await counters.reserve(call(limits, { tenant: 'grouped' }));
    sent.length = 0;
    // Not all in one batch: requests arrive separately, each in its own turn of the event loop.
    const calls = Array.from({ length: 16 }, async (_, i) => {
      for (let turns = 0; turns < i; turns++) await undefined;
      return counters.reserve(call(limits, { tenant: 'grouped' }));
    });
    const outcomes = await Promise.all(calls);
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(new Set(outcomes.map(({ limits: { remaining_requests } }) => remaining_requests)).size).toBe(16);
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  test('[limit.rate] a refusal always comes from the store, never from memory, and writes no row', async () => {
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

  test('a stale write gets the current state from the refusal', async () => {
    const { counters, sent } = watched();
    const limits = { requests_per_minute: 3, budgets: [] };
    await counters.reserve(call(limits, { tenant: 'late' }));
    await stores().reserve(call(limits, { tenant: 'late' }));
    sent.length = 0;
    expect((await counters.reserve(call(limits, { tenant: 'late' }))).limits.remaining_requests).toBe(0);
    expect(sent).toEqual(['PutItem', 'PutItem']);
  });

  test('[limit.budget] an unused slice is returned, and another tenant can spend it', async () => {
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

describe('a failing store', () => {
  const unreachable = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' }));

  test('[error.store-down] returns service_unavailable for every operation', async () => {
    const down = stores(() => unreachable);
    const refused = expect.objectContaining({ code: 'service_unavailable' });
    await expect(down.reserve(call({ budgets: [budget(1000)] }))).rejects.toEqual(refused);
    await expect(down.begin('t', 'x')).rejects.toEqual(refused);
    await expect(down.extend('t', 'x')).rejects.toEqual(refused);
    await expect(down.settle('t', 'x', settled())).rejects.toEqual(refused);
    await expect(down.expired('t')).rejects.toEqual(refused);
    await expect(down.reclaim('t')).rejects.toEqual(refused);
    await expect(down.status('t', noLimits)).rejects.toEqual(refused);
  });

  test('[error.store-down] every call in a failed group is refused, and the next call goes through', async () => {
    let failing = true;
    const flaky = stores((send) => (command) => (failing ? unreachable() : send(command)));
    const limits = { requests_per_minute: 5, budgets: [] };
    const group = await Promise.allSettled([1, 2, 3].map(() => flaky.reserve(call(limits, { tenant: 'flaky' }))));
    expect(group.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    failing = false;
    expect((await flaky.reserve(call(limits, { tenant: 'flaky' }))).limits.remaining_requests).toBe(4);
  });

  test('[error.store-down] an unreadable item causes refusals and is not replaced by a new one', async () => {
    const garbled = stores((send) => async (command) => {
      const answer = (await send(command)) as { Item?: Record<string, unknown> };
      return command.constructor.name === 'GetItemCommand'
        ? { Item: { id: { S: 'x' }, version: { N: '1' }, state: { S: '{' } } }
        : answer;
    });
    await expect(garbled.status('garbled', noLimits)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('a request that the client repeats after a lost response is counted once', async () => {
    const repeating = stores((send) => async (command) => {
      if (command.constructor.name === 'PutItemCommand') await send(command);
      return send(command);
    });
    const limits = { requests_per_minute: 5, budgets: [budget(100)] };
    const once = call(limits, { tenant: 'repeated', cost_microusd: 10 });
    expect((await repeating.reserve(once)).limits.remaining_requests).toBe(4);
    await repeating.settle('repeated', once.id, settled({ cost_microusd: 7 }));
    const { budgets, open } = await stores().status('repeated', limits);
    expect({ used: budgets[0]!.used_microusd, open }).toEqual({ used: 7, open: 0 });
  });

  test('a response lost for good leaves a reservation, which ends with its lease', async () => {
    const losing = stores((send) => async (command) => {
      const answer = await send(command);
      if (command.constructor.name === 'PutItemCommand') throw new Error('socket hang up');
      return answer;
    });
    const limits = { requests_per_minute: 1, budgets: [] };
    await expect(losing.reserve(call(limits, { tenant: 'lost' }))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect((await stores().status('lost', limits)).open).toBe(1);
    expect(await stores().expired('lost')).toEqual([]);
    time.ms = now + 60_000;
    expect(await stores().expired('lost')).toMatchObject([{ begun: false }]);
    time.ms = now;
  });

  /** Creates a store where another process always writes first. */
  function crowded(open = '[]') {
    const pauses: number[] = [];
    const writes: string[] = [];
    let n = 0;
    const row = () => ({
      id: 'x',
      version: ++n,
      state: `{"w":[0],"s":{},"g":{},"a":[],"o":${open}}`,
    });
    const counters = countersTable({
      store: intercepted(testStore(), async (method) => {
        if (method === 'get') return row();
        writes.push(method);
        return method === 'put' ? { written: false, row: row() } : { reasons: [{ code: 'condition', row: row() }] };
      }),
      clock,
      random: () => 1,
      pause: async (ms) => void pauses.push(ms),
    });
    return { counters, pauses, writes };
  }

  test('[limit.shards] a call is refused with Retry-After after three lost writes and one attempt to make room', async () => {
    const { counters, pauses, writes } = crowded();
    const limits = { requests_per_minute: 6000, budgets: [] };
    await expect(counters.reserve(call(limits))).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 1,
    });
    expect(writes.filter((name) => name === 'put')).toHaveLength(3);
    expect(writes.filter((name) => name === 'transact')).toHaveLength(1);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(200);
  });

  test('[limit.shards] a settlement is retried for longer than a reservation', async () => {
    const { counters, pauses, writes } = crowded('[["open","s",0,0,10,0,[],0,9000000000000]]');
    await expect(counters.settle('t', 'open', settled())).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(writes).toEqual(Array(40).fill('put'));
    expect(Math.max(...pauses)).toBe(200);
  });

  test('a reservation that has ended cannot be begun, because no amount would be charged', async () => {
    await expect(stores().begin('nobody', 'nothing')).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(stores().extend('nobody', 'nothing')).resolves.toBeUndefined();
    await expect(stores().settle('nobody', 'nothing', settled())).resolves.toBeUndefined();
  });

  test('an invalid count is refused before it is written', async () => {
    await expect(stores().reserve(call(noLimits, { tokens: Number.NaN }))).rejects.toMatchObject({
      code: 'server_error',
    });
    await expect(stores().settle('t', 'x', settled({ cost_microusd: -1 }))).rejects.toMatchObject({
      code: 'server_error',
    });
  });
});
