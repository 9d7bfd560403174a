/** Sharded counters: several environments on one store, and simulated fleets in virtual time. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { countersTable } from '#adapters/tables/counters-table.ts';
import type { Counters, Limits } from '#core/limits/ports.ts';
import { maxDepth } from '#core/limits/shards.ts';
import { type Load, simulate } from '../../bench/simulated/fleet.ts';
import { createRandom } from '../../bench/simulated/virtual-time.ts';
import { over, useDynamo } from '../support/dynamo.ts';
import { runs, thorough } from '../support/extent.ts';
import { budget, call, now, settled } from '../unit/limits/sample.ts';

const store = useDynamo();

const time = { ms: now };
const clock = { now: () => time.ms };
afterEach(() => {
  time.ms = now;
});
let seed = 1;
type Command = { readonly constructor: { readonly name: string } };

/** Creates an execution environment with its own counters; the commands it sends are recorded. */
function environment(): { readonly counters: Counters; readonly sent: string[] } {
  const sent: string[] = [];
  const send = (command: Command) => {
    sent.push(command.constructor.name.replace('Command', ''));
    return store.client.send(command as never);
  };
  const own = { send } as unknown as DynamoDBClient;
  return { counters: countersTable({ ...over(own, store.tables), clock, random: createRandom(seed++) }), sent };
}

/** Retries as a caller would when asked to try again. */
async function reserved(counters: Counters, request: ReturnType<typeof call>) {
  for (let tries = 1; ; tries++) {
    try {
      return await counters.reserve(request);
    } catch (thrown) {
      if (tries === 100 || !String(thrown).includes('too busy')) throw thrown;
    }
  }
}

/** Creates a tenant that several environments use at the same time, so that its counters are split. */
async function split(tenant: string, limits: Limits, over: Partial<ReturnType<typeof call>> = {}, rounds = 8) {
  const environments = Array.from({ length: 6 }, environment);
  const calls: ReturnType<typeof call>[] = [];
  for (let round = 0; round < rounds; round++) {
    const requests = environments.map(() => call(limits, { tenant, ...over }));
    calls.push(...requests);
    await Promise.all(environments.map(({ counters }, i) => reserved(counters, requests[i]!)));
  }
  return { environments, calls };
}

const shardsOf = async (tenant: string): Promise<number> => {
  const { counters, sent } = environment();
  await counters.status(tenant, { budgets: [] });
  return sent.includes('BatchGetItem') ? 2 : 1;
};

test('[limit.shards] environments that write concurrently split the counters; the sweep merges them when traffic is low', async () => {
  const limits: Limits = { requests_per_minute: 1000, budgets: [budget(1_000_000)] };
  const { environments, calls } = await split('busy', limits, { cost_microusd: 100 }, 12);
  expect(await shardsOf('busy')).toBe(2);
  const whole = async () => environment().counters.status('busy', limits);
  expect(await whole()).toMatchObject({
    limits: { remaining_requests: 1000 - 72 },
    budgets: [{ used_microusd: 7200 }],
    open: 72,
  });
  // Each call is settled by the environment that reserved it, and the last by an environment that has not seen any of
  // them.
  const stranger = environment().counters;
  for (const [i, { id }] of calls.entries()) {
    const settler = i % 8 === 7 ? stranger : environments[i % 6]!.counters;
    await settler.settle('busy', id, settled({ cost_microusd: 10 }));
  }
  expect(await whole()).toMatchObject({ budgets: [{ used_microusd: 720 }], open: 0 });
  time.ms = now + 120_000;
  for (let sweeps = 0; sweeps < maxDepth; sweeps++) await stranger.reclaim('busy');
  expect(await shardsOf('busy')).toBe(1);
  expect(await whole()).toMatchObject({
    limits: { remaining_requests: 1000 },
    budgets: [{ used_microusd: 720 }],
    open: 0,
  });
});

test('[limit.shards] a single process never splits, however many calls it has open, and its counts stay exact', async () => {
  const { counters, sent } = environment();
  const limits = { requests_per_minute: 130, budgets: [] };
  const outcomes = await Promise.all(
    Array.from({ length: 150 }, () => counters.reserve(call(limits, { tenant: 'alone' }))),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(130);
  expect(sent).not.toContain('TransactWriteItems');
  const small = { requests_per_minute: 5, budgets: [] };
  const few = [];
  for (let i = 0; i < 8; i++) few.push((await counters.reserve(call(small, { tenant: 'small' }))).ok);
  expect(few).toEqual([true, true, true, true, true, false, false, false]);
});

test('[limit.shards] a split tenant is refused when all its shards are full, and exactly the limit is let through', async () => {
  const limits = { requests_per_minute: 100, budgets: [] };
  const { environments } = await split('exact', limits);
  expect(await shardsOf('exact')).toBe(2);
  let accepted = 48;
  for (let i = 0; i < 80; i++) {
    const { ok } = await reserved(environments[i % 6]!.counters, call(limits, { tenant: 'exact' }));
    if (ok) accepted++;
  }
  expect(accepted).toBe(100);
});

test('[limit.shards] a call too large for any single shard merges as many shards as it needs', async () => {
  const limits = { tokens_per_minute: 10_000, budgets: [] };
  const { environments } = await split('large', limits, { tokens: 10 });
  expect(await shardsOf('large')).toBe(2);
  const large = call(limits, { tenant: 'large', tokens: 9000 });
  expect((await reserved(environments[0]!.counters, large)).ok).toBe(true);
  const larger = call(limits, { tenant: 'large', tokens: 9000 });
  expect((await reserved(environments[1]!.counters, larger)).ok).toBe(false);
});

describe('several environments in any order', () => {
  const step = fc.record({
    who: fc.nat(3),
    what: fc.constantFrom('reserve' as const, 'reserve' as const, 'settle' as const, 'die' as const),
    calls: fc.integer({ min: 1, max: 6 }),
  });

  test('[limit.shards] [limit.budget] no limit is exceeded, and abandoned reservations are recovered', async () => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const tenant = `any-${n++}`;
        time.ms = now;
        const limits: Limits = { requests_per_minute: 60, budgets: [budget(2000)] };
        const fleet = Array.from({ length: 4 }, () => environment().counters);
        const open = fleet.map((): string[] => []);
        let [accepted, spent] = [0, 0];
        for (let i = 0; i < steps.length; i += 3) {
          // Three steps run at the same time.
          const acts = steps.slice(i, i + 3).map(async ({ who, what, calls }) => {
            const counters = fleet[who]!;
            if (what === 'die') {
              fleet[who] = environment().counters;
              open[who] = [];
            } else if (what === 'settle') {
              for (const id of open[who]!.splice(0, calls)) {
                await counters.settle(tenant, id, settled({ cost_microusd: 20 }));
                spent += 20;
              }
            } else {
              const requests = Array.from({ length: calls }, () => call(limits, { tenant, cost_microusd: 50 }));
              const outcomes = await Promise.all(requests.map((request) => reserved(counters, request)));
              for (const [k, { ok }] of outcomes.entries()) if (ok) open[who]!.push(requests[k]!.id);
              accepted += outcomes.filter(({ ok }) => ok).length;
            }
          });
          await Promise.all(acts);
        }
        expect(accepted).toBeLessThanOrEqual(60);
        const sweep = environment().counters;
        const before = await sweep.status(tenant, limits);
        expect(before.budgets[0]!.used_microusd).toBeLessThanOrEqual(2000);
        time.ms = now + 60_000;
        for (const { id, lease_expires_at } of await sweep.expired(tenant)) {
          await sweep.settle(tenant, id, { tokens: 0, cost_microusd: 0, counted: false, lease_expires_at });
        }
        const after = await sweep.status(tenant, limits);
        expect({ open: after.open, used: after.budgets[0]!.used_microusd }).toEqual({ open: 0, used: spent });
        time.ms = now;
      }),
      { numRuns: 12, seed: 11 },
    );
  });
});

describe('a simulated fleet in virtual time', () => {
  const tokens = { reserved: 4296, used: 500 };
  const limits = (perMinute: number, budgeted: boolean): Limits => ({
    requests_per_minute: perMinute,
    budgets: budgeted ? [budget(1e12)] : [],
  });
  const load = (over: Partial<Load>): Load => ({
    tenants: 1,
    callsPerSecond: 60,
    callSeconds: 2,
    seconds: 10,
    limits: limits(10_000, true),
    tokens,
    cost_microusd: 40_000,
    ...over,
  });

  test('[limit.shards] one tenant making 60 two-second calls per second: at most 1 % are shed, and a second run gives the same result', async () => {
    const tally = await simulate(load({}));
    expect(tally.shed).toBeLessThanOrEqual(tally.offered / 100);
    expect(tally.served + tally.shed).toBe(tally.offered);
    expect(tally.unsettled).toBe(0);
    expect(await simulate(load({}))).toEqual(tally);
  });

  test('[limit.shards] one tenant with thousands of concurrent streams has few of them shed', async () => {
    // 64 shards would shed one call in fifteen; the full-size run has 20,000 open streams.
    const callsPerSecond = runs(670, 70);
    const limited = limits(10 * 60 * callsPerSecond, true);
    const tally = await simulate(load({ callsPerSecond, callSeconds: 30, seconds: 32, limits: limited }));
    expect(tally.environments).toBeGreaterThan(callsPerSecond * 29);
    expect(tally.shed).toBeLessThanOrEqual(tally.offered * runs(0.025, 0.01));
  });

  test.each([true, false])('[limit.shards] exactly the limit is let through, with a budget: %s', async (budgeted) => {
    const tally = await simulate(load({ callsPerSecond: 20, seconds: 70, limits: limits(600, budgeted) }));
    expect(tally.fullestMinute.requests).toBe(600);
    expect(tally.shards).toBeGreaterThan(1);
  });

  test('[limit.shards] a tenant near its limit seldom reads all shards: another shard usually has room', async () => {
    const tally = await simulate(load({ callsPerSecond: 80, seconds: 70, limits: limits(6000, false) }));
    expect(tally.refused).toBe(0);
    expect(tally.shards).toBeGreaterThan(16);
    expect(tally.readUnits).toBeLessThan(4 * tally.offered);
  });

  test('[limit.shards] with slow keys, twice as many calls still reach at least 80 % of the goodput', async () => {
    // A twentieth of DynamoDB's capacity per key, so that hundreds of calls here correspond to thousands there.
    const small = { writeUnitsOfKey: 50, seconds: runs(40, 20), limits: limits(1_000_000, true) };
    const twice = await simulate(load({ ...small, callsPerSecond: 920 }));
    expect(twice.goodput).toBeGreaterThan(250);
    if (!thorough) return;
    const once = await simulate(load({ ...small, callsPerSecond: 460 }));
    expect(twice.goodput).toBeGreaterThanOrEqual(once.goodput * 0.8);
  });
});
