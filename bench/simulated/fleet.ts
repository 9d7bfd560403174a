/**
 * Simulation of Lambda in virtual time: one execution environment per running call, each with its own counters over one
 * simulated store. Callers that are refused do not retry.
 */
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { countersTable } from '#adapters/tables/counters-table.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Counters, type Limits, reservationLeaseSeconds } from '#core/limits/ports.ts';
import { simulatedDynamo } from './dynamo.ts';
import { createRandom, VirtualTime } from './virtual-time.ts';

export interface Load {
  readonly tenants: number;
  /** Rate for all tenants together. */
  readonly callsPerSecond: number;
  readonly callSeconds: number;
  /** Duration for which calls arrive. */
  readonly seconds: number;
  readonly limits: Limits;
  /** Tokens that a call reserves, and tokens that it finally uses. */
  readonly tokens: { readonly reserved: number; readonly used: number };
  readonly cost_microusd?: number;
  readonly seed?: number;
  /** Write units per second that the store allows for each key; if absent, DynamoDB's 1,000. */
  readonly writeUnitsOfKey?: number;
}

export interface Tally {
  readonly offered: number;
  readonly served: number;
  /** 429. */
  readonly refused: number;
  /** 503. */
  readonly shed: number;
  /** Settlements that were left to the background repair. */
  readonly unsettled: number;
  readonly environments: number;
  /** Largest number of items ever written for a single tenant. */
  readonly shards: number;
  readonly reserveMs: { readonly p50: number; readonly p99: number };
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly lostWrites: number;
  readonly throttled: number;
  /** Highest usage by one tenant within 60 seconds: requests, and tokens as settled. */
  readonly fullestMinute: { readonly requests: number; readonly tokens: number };
  /** Calls served per second in the last half of the run. */
  readonly goodput: number;
}

interface ServedCall {
  readonly tenant: string;
  readonly at: number;
}

const startMs = Date.UTC(2026, 10, 21, 12);
export async function simulate(load: Load): Promise<Tally> {
  const seed = load.seed ?? 1;
  const random = createRandom(seed);
  const time = new VirtualTime(startMs);
  const { client, items, used } = simulatedDynamo(time, createRandom(seed + 1), load.writeUnitsOfKey);
  // Only the counters table is used.
  const store = dynamoStore({ client, tables: { counters: 'counters' } });
  const idle: Counters[] = [];
  const waits: number[] = [];
  const served: ServedCall[] = [];
  const tally = { offered: 0, refused: 0, shed: 0, unsettled: 0, environments: 0 };

  const environment = (): Counters => {
    tally.environments++;
    const own = createRandom(seed * 100_003 + tally.environments);
    return countersTable({ store, clock: time, pause: time.pause, random: own });
  };

  async function call(n: number): Promise<void> {
    const counters = idle.pop() ?? environment();
    const tenant = `t${n % load.tenants}`;
    const at = time.exactly();
    const { tokens, limits, cost_microusd = 0 } = load;
    const request = { tenant, id: `call-${n}`, session_id: 's', tokens: tokens.reserved, cost_microusd, limits };
    const outcome = await counters.reserve({ ...request, begun: true }).catch(busy);
    waits.push(time.exactly() - at);
    if (outcome instanceof Error) tally.shed++;
    else if (!outcome.ok) tally.refused++;
    else {
      served.push({ tenant, at: time.exactly() });
      await work(counters, tenant, request.id);
      const settlement = { tokens: tokens.used, cost_microusd: Math.floor(cost_microusd / 4), counted: true };
      await counters.settle(tenant, request.id, settlement).catch(() => void tally.unsettled++);
    }
    idle.push(counters);
  }

  async function work(counters: Counters, tenant: string, id: string): Promise<void> {
    const between = reservationLeaseSeconds / 3;
    for (let left = load.callSeconds; left > 0; left -= between) {
      await time.pause(Math.min(left, between) * 1000);
      if (left > between) await counters.extend(tenant, id).catch(() => {});
    }
  }

  // Arrivals are random (a Poisson process).
  for (let at = startMs; ; ) {
    at += (-Math.log(1 - random()) / load.callsPerSecond) * 1000;
    if (at >= startMs + load.seconds * 1000) break;
    const n = tally.offered++;
    time.at(at, () => void call(n));
  }
  await time.run();
  const half = startMs + load.seconds * 500;
  return {
    ...tally,
    served: served.length,
    shards: shardsOf(items),
    reserveMs: percentiles(waits),
    writeUnits: used.writeUnits,
    readUnits: used.readUnits,
    lostWrites: used.lost / Math.max(1, used.writes),
    throttled: used.throttled,
    fullestMinute: fullestMinute(served, load.tokens.used),
    goodput: served.filter(({ at }) => at >= half).length / (load.seconds / 2),
  };
}

/**
 * Returns the error if it is due to load shedding. @throws any other error, which is a fault in the counters or the
 * simulation.
 */
function busy(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.code === 'service_unavailable') return thrown;
  throw thrown;
}

function percentiles(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function shardsOf(items: ReadonlyMap<string, unknown>): number {
  const counts = new Map<string, number>();
  for (const id of items.keys()) {
    const tenant = id.split('#').at(-1)!;
    counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

function fullestMinute(served: readonly ServedCall[], tokens: number) {
  const byTenant = Map.groupBy(served, ({ tenant }) => tenant);
  let requests = 0;
  for (const calls of byTenant.values()) {
    const times = calls.map(({ at }) => at).sort((a, b) => a - b);
    let first = 0;
    for (const [i, at] of times.entries()) {
      while (at - times[first]! >= 60_000) first++;
      requests = Math.max(requests, i - first + 1);
    }
  }
  return { requests, tokens: requests * tokens };
}
