/** Budgets and rate limits as they stand: read from the counters, never from projections. */
import { isoTime } from '#core/kernel/ports.ts';
import { limitsOfAll } from '#core/limits/limits-of-all.ts';
import type { BudgetAccount, BudgetStatus, LimitStatus } from '#core/limits/ports.ts';
import { secondsUntilPeriodEnds } from '#core/limits/spend.ts';
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
  const status = await ports.counters.status(tenant, limitsOfAll(snapshot.configuration, tenant));
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
