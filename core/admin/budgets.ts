/** Budgets and rate limits as they stand: read from the counters, never from projections. */
import type { Configuration } from '#core/contracts/config.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import type { BudgetAccount, BudgetStatus, LimitStatus, Limits } from '#core/limits/ports.ts';
import { secondsUntilPeriodEnds } from '#core/limits/spend.ts';
import { compileGlob } from '#core/matching/glob.ts';
import { exampleOf } from '#core/matching/glob-example.ts';
import { toUsd } from '#core/observatory/request-row.ts';
import type { Call, Operation } from './operation.ts';

export const listBudgets: Operation = async (call) => {
  const { budgets, rate_limit, open } = await budgetsOf(call);
  return { body: { tenant: call.principal.tenant, budgets, rate_limit, open_reservations: open } };
};

interface BudgetView {
  readonly account: string;
  readonly scope: BudgetAccount['scope'];
  readonly period: BudgetAccount['period'];
  readonly limit_usd: number;
  /** Spent and reserved. */
  readonly used_usd: number;
  readonly percent: number;
  readonly tier: BudgetStatus['tier'];
  readonly resets_at: string;
}

export async function budgetsOf({
  ports,
  principal,
  snapshot,
}: Pick<Call, 'ports' | 'principal' | 'snapshot'>): Promise<{
  readonly budgets: readonly BudgetView[];
  readonly rate_limit: LimitStatus;
  readonly open: number;
}> {
  const { tenant } = principal;
  const now = ports.clock.now();
  const status = await ports.counters.status(tenant, allLimits(snapshot.configuration, tenant));
  return {
    budgets: status.budgets.map((budget) => viewOf(budget, now)),
    rate_limit: status.limits,
    open: status.open,
  };
}

function viewOf(
  { account, scope, period, limit_microusd, used_microusd, tier }: BudgetStatus,
  now: number,
): BudgetView {
  // A budget of nothing is used up from the start.
  const percent = limit_microusd === 0 ? 100 : Math.round((used_microusd / limit_microusd) * 1000) / 10;
  const resets = Math.floor(now / 1000 + secondsUntilPeriodEnds(period, now)) * 1000;
  return {
    account,
    scope,
    period,
    limit_usd: toUsd(limit_microusd),
    used_usd: toUsd(used_microusd),
    percent,
    tier,
    resets_at: isoTime(resets),
  };
}

/** The limits of calls to any model: every account of the tenant and the global ones, each once. */
function allLimits(configuration: Configuration, tenant: string): Limits {
  const { global, tenants } = configuration.budgets;
  const own = Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
  const patterns = [...Object.keys(own?.models ?? {}), ...Object.keys(global?.models ?? {})];
  const models = ['', ...patterns.flatMap((pattern) => [pattern, exampleOf(compileGlob(pattern, 'text'))])];
  const limits = models.map((model) => limitsOf(configuration, tenant, model));
  const accounts = limits.flatMap(({ budgets }) => budgets);
  const each = new Map(accounts.map((budget) => [`${budget.account}|${budget.period}`, budget]));
  return { ...limits[0], budgets: [...each.values()] };
}
