/**
 * `npm run bench -- --simulate-aws`: the real counter and projection code over simulated services in virtual time, with
 * the same result in each run. Prints the figures in docs/explanation/performance.md and whether their conditions are
 * met. `--only TEXT` selects rows whose names contain the text.
 */
import type { BudgetAccount, Limits } from '#core/limits/ports.ts';
import { type Load, simulate, type Tally } from './simulated/fleet.ts';
import { type EvidenceLoad, simulateProjection } from './simulated/projection.ts';

interface Row {
  readonly name: string;
  readonly load: Load;
  /** Checks this row's condition. Rows without a condition are judged together. */
  readonly holds?: (tally: Tally, load: Load) => boolean;
}

const tokens = { reserved: 4296, used: 500 };
const month: BudgetAccount = { account: 'tenant', scope: 'tenant', period: 'month', limit_microusd: 1e12 };

/** @param part the share of the rate that goes to one tenant. */
const limitsFor = (
  { callsPerSecond, tenants }: Pick<Load, 'callsPerSecond' | 'tenants'>,
  part: number,
  budgets: boolean,
): Limits => ({
  requests_per_minute: Math.round((callsPerSecond / tenants) * 60 * part),
  budgets: budgets ? [month] : [],
});

function row(name: string, over: Partial<Load>, part = 1.5, budgets = true, holds: Row['holds'] = fewShed): Row {
  const load = { tenants: 1, callsPerSecond: 200, callSeconds: 2, seconds: 60, ...over };
  const limits = limitsFor(load, part, budgets);
  return { name, load: { ...load, limits, tokens, cost_microusd: budgets ? 40_000 : 0 }, holds };
}

const fewShed = ({ shed, offered }: Tally): boolean => shed <= offered / 100;
const atMostTheLimit =
  (part: number) =>
  (tally: Tally, { limits }: Load): boolean => {
    const limit = limits.requests_per_minute ?? 0;
    const { requests } = tally.fullestMinute;
    return requests <= limit && requests >= limit * part;
  };

const rows: readonly Row[] = [
  row('200/s of 2 s', {}),
  row('200/s of 2 s, no budgets: leases', {}, 1.5, false),
  row('200/s of 2 s, limit of 160/s', { seconds: 90 }, 0.8, true, atMostTheLimit(1)),
  row('200/s of 2 s, limit of 160/s, leases', { seconds: 90 }, 0.8, false, atMostTheLimit(0.8)),
  row('50/s of 30 s streams', { callsPerSecond: 50, callSeconds: 30, seconds: 90 }),
  row('200/s of 30 s streams', { callsPerSecond: 200, callSeconds: 30, seconds: 60 }),
  row(
    '670/s of 30 s streams, all from nothing',
    { callsPerSecond: 670, callSeconds: 30, seconds: 45 },
    10,
    true,
    ({ shed, offered }) => shed <= offered / 40,
  ),
  row('1,000/s of 2 s over 50 tenants', { callsPerSecond: 1000, tenants: 50, seconds: 20 }),
];
const rates = [400, 800, 1600, 3200];
const overload = rates.map((callsPerSecond): Row => {
  const { load } = row('', { callsPerSecond, seconds: 12 }, 10);
  return { name: `${callsPerSecond.toLocaleString('en')}/s of 2 s, from nothing`, load };
});

const evidence: readonly (readonly [name: string, load: EvidenceLoad])[] = [
  ['evidence: 2,000/s of one tenant', { tenants: 1, entriesPerSecond: 2_000, sessions: 1_000, seconds: 40, shards: 8 }],
  ['evidence: 10,000/s of 100', { tenants: 100, entriesPerSecond: 10_000, sessions: 100, seconds: 17, shards: 20 }],
];
const mostLagSeconds = 30;

/** Prints how far evidence lags. @returns the loads for which the lag was too long */
async function simulatedEvidence(only: string): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, load] of evidence.filter(([each]) => each.includes(only))) {
    const { entries, lagSeconds, uncovered } = await simulateProjection(load);
    console.log(
      `${name}: ${entries} entries, lag p50 ${lagSeconds.p50.toFixed(1)} s, p99 ${lagSeconds.p99.toFixed(1)} s`,
    );
    if (uncovered > 0 || lagSeconds.p99 > mostLagSeconds) failed.push(name);
  }
  return failed;
}

/** @returns whether every condition was met. */
export async function benchSimulatedAws(only: string): Promise<boolean> {
  const failed = await simulatedEvidence(only);
  const goodputs: number[] = [];
  console.log(`| ${heads.join(' | ')} |\n| ${heads.map(() => '---').join(' | ')} |`);
  for (const { name, load, holds } of [...rows, ...overload].filter((each) => each.name.includes(only))) {
    const tally = await simulate(load);
    console.log(`| ${[name, ...cellsOf(tally)].join(' | ')} |`);
    if (holds && !holds(tally, load)) failed.push(name);
    if (!holds) goodputs.push(tally.goodput);
  }
  const most = Math.max(0, ...goodputs);
  const last = goodputs.at(-1) ?? 0;
  if (goodputs.length === rates.length) {
    console.log(
      `\nmost ${Math.round(most)} a second; at ${rates.at(-1)} offered ${Math.round((last / most) * 100)} % of it`,
    );
    if (last < most * 0.8) failed.push('goodput above capacity');
  }
  console.log(failed.length > 0 ? `\nfailed: ${failed.join('; ')}` : '\neverything held');
  return failed.length === 0;
}

const heads = ['load', 'goodput/s', '429', '503', 'fullest minute', 'reserve p50, p99 ms', 'WRU, RRU a call', 'shards'];

function cellsOf(tally: Tally): string[] {
  const { offered, served, refused, shed, fullestMinute, reserveMs, writeUnits, readUnits, shards, goodput } = tally;
  const percent = (part: number) => `${((part / offered) * 100).toFixed(1)} %`;
  return [
    goodput.toFixed(0),
    percent(refused),
    percent(shed),
    fullestMinute.requests.toLocaleString('en'),
    `${reserveMs.p50.toFixed(0)}, ${reserveMs.p99.toFixed(0)}`,
    `${(writeUnits / served).toFixed(1)}, ${(readUnits / served).toFixed(1)}`,
    String(shards),
  ];
}
