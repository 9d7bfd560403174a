/** `GET budgets/forecast`: predicts each budget at the end of its period [budget.forecast]. */

import { dayMs } from '#core/kernel/durations.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { accountKey, secondsUntilPeriodEnds, spendRetentionDays } from '#core/limits/spend.ts';
import { modelMatches } from '#core/models/routing/model-glob.ts';
import type { Usage } from '#core/observatory/ports.ts';
import { toUsd } from '#core/observatory/request-row.ts';
import { type BudgetView, budgetsOf, isShared } from '#core/operations/budgets.ts';
import { subjectOf, tenantsOf } from '#core/operations/by-path.ts';
import type { Call, Operation } from '#core/operations/operation.ts';
import { type DaySpend, exhaustedOn, forecast } from './forecast.ts';

/** Four weeks, so that each weekday occurs four times. */
const historyDays = spendRetentionDays;
/**
 * Maximum number of tenants, because each requires reading all its days. Above the maximum, budgets shared by all
 * tenants are omitted, and a path is rejected.
 */
const maxTenants = 20;

export const budgetsForecast: Operation = async (call) => {
  if (call.query.path !== undefined) return { body: await forecastsBelow(call) };
  const { own, shared } = await budgetsByOwner(call);
  return { body: { tenant: call.principal.tenant, forecasts: [...(await sharedForecasts(call, shared)), ...own] } };
};

/**
 * Returns forecasts for all tenants below a path, each with its tenant. Budgets shared by all tenants come first and
 * appear once [admin.by-path].
 */
async function forecastsBelow(call: Call) {
  const tenants = tenantsOf(call, maxTenants);
  const each = [];
  // Sequential, because each tenant's days are already read concurrently.
  for (const tenant of tenants)
    each.push({ tenant, ...(await budgetsByOwner({ ...call, principal: { ...call.principal, tenant } })) });
  return {
    ...subjectOf(call, tenants),
    forecasts: [
      ...(await sharedForecasts(call, each[0]?.shared ?? [])),
      ...each.flatMap(({ tenant, own }) => own.map((forecast) => ({ ...forecast, tenant }))),
    ],
  };
}

/** Returns forecasts of the tenant's own budgets and of those shared by all tenants. */
async function budgetsByOwner(call: Call) {
  const { statuses, keySpend } = await budgetsOf(call);
  const usage = await usageByDay(call, [call.principal.tenant]);
  const spends = (status: BudgetView) =>
    status.scope === 'key' ? spendOfKey(call, status, keySpend) : spendsOf(status, usage);
  return {
    own: statuses.filter((status) => !isShared(status)).map((status) => forecastOf(call, status, spends(status))),
    shared: statuses.filter(isShared),
  };
}

async function sharedForecasts(call: Call, shared: readonly BudgetView[]) {
  const { tenants } = call.snapshot.configuration;
  if (shared.length === 0 || tenants.length > maxTenants) return [];
  const usage = await usageByDay(
    call,
    tenants.map(({ id }) => id),
  );
  return shared.map((status) => forecastOf(call, status, spendsOf(status, usage)));
}

interface UsageDay {
  readonly day: string;
  readonly usages: readonly Usage[];
}

/** Returns the usage of full days before today, oldest first. */
async function usageByDay({ ports }: Call, tenants: readonly string[]): Promise<readonly UsageDay[]> {
  const today = Math.floor(ports.clock.now() / dayMs) * dayMs;
  return Promise.all(
    daysBefore(today).map(async (start) => {
      const span = { from: isoTime(start), to: isoTime(start + dayMs - 1) };
      const usages = await Promise.all(tenants.map((tenant) => ports.observations.usage(tenant, span)));
      return { day: isoTime(start).slice(0, 10), usages };
    }),
  );
}

const daysBefore = (today: number): number[] =>
  Array.from({ length: historyDays }, (_, n) => today - (historyDays - n) * dayMs);

const spendsOf = (status: BudgetView, usage: readonly UsageDay[]): DaySpend[] =>
  usage.map((each) => ({ day: each.day, usd: spendOf(status, each) }));

/** Returns a key's spending by day from its counters, because usage is not stored per key. */
function spendOfKey({ ports }: Call, { account }: BudgetView, spend: Readonly<Record<string, number>>): DaySpend[] {
  const today = Math.floor(ports.clock.now() / dayMs) * dayMs;
  return daysBefore(today).map((start) => {
    const day = isoTime(start).slice(0, 10);
    return { day, usd: toUsd(spend[accountKey({ account, period: 'day' }, start)] ?? 0) };
  });
}

/** Returns the cost of a budget's scope on a day. */
const spendOf = ({ scope, scope_id }: BudgetView, { usages }: UsageDay): number =>
  usages.reduce(
    (sum, { cost_usd, models }) =>
      sum +
      (scope === 'model'
        ? models.reduce((part, used) => (modelMatches(scope_id, used.model) ? part + used.cost_usd : part), 0)
        : cost_usd),
    0,
  );

function forecastOf({ ports }: Call, status: BudgetView, spends: readonly DaySpend[]) {
  const { account, scope, scope_id, key_name, period, limit_usd, spent_usd } = status;
  const now = ports.clock.now();
  // Days before the first spending are not counted as days without cost.
  const first = spends.findIndex(({ usd }) => usd > 0);
  const history = first === -1 ? [] : spends.slice(first);
  const rest = restOf(now, now + secondsUntilPeriodEnds(period, now) * 1000);
  const made = forecast(history, spent_usd, rest);
  const exhausted = exhaustedOn(history, spent_usd, limit_usd, rest);
  return {
    account,
    scope,
    scope_id,
    period,
    limit_usd,
    spent_usd,
    ...(key_name !== undefined && { key_name }),
    days_observed: history.length,
    projected_usd: made?.projected_usd ?? null,
    low_usd: made?.low_usd ?? null,
    high_usd: made?.high_usd ?? null,
    will_exceed: made === undefined ? null : made.projected_usd > limit_usd,
    exhausted_at: exhausted ?? null,
  };
}

/** Returns the days until the period ends. Today counts as the fraction that remains. */
function restOf(now: number, end: number): { day: string; share: number }[] {
  const rest: { day: string; share: number }[] = [];
  for (let at = now; at < end; ) {
    const next = Math.min(end, (Math.floor(at / dayMs) + 1) * dayMs);
    rest.push({ day: isoTime(at).slice(0, 10), share: (next - at) / dayMs });
    at = next;
  }
  return rest;
}
