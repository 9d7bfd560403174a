/** Budgets and rate limits as they stand: read from the counters, never from projections. */
import { isoTime } from '#core/kernel/ports.ts';
import { limitsOfAll } from '#core/limits/limits-of-all.ts';
import type { BudgetAccount, BudgetStatus, LimitStatus } from '#core/limits/ports.ts';
import { secondsUntilPeriodEnds } from '#core/limits/spend.ts';
import { toUsd } from '#core/observatory/request-row.ts';
import type { Call, Operation } from './operation.ts';

export const listBudgets: Operation = async (call) => {
  const { statuses, rate_limit, open } = await budgetsOf(call);
  return { body: { tenant: call.principal.tenant, statuses, rate_limit, open_reservations: open } };
};

export interface BudgetView {
  readonly account: string;
  readonly scope: 'tenant' | 'global' | 'model';
  /** The tenant, the pattern of the model, or `*` for all tenants. */
  readonly scope_id: string;
  readonly period: BudgetAccount['period'];
  readonly limit_usd: number;
  readonly spent_usd: number;
  /** Held by running calls. */
  readonly reserved_usd: number;
  /** Of the limit, spent and reserved together. */
  readonly percentage: number;
  readonly tier: 'ok' | 'alert' | 'warning' | 'blocked';
  readonly resets_at: string;
}

export async function budgetsOf({
  ports,
  principal,
  snapshot,
}: Pick<Call, 'ports' | 'principal' | 'snapshot'>): Promise<{
  readonly statuses: readonly BudgetView[];
  readonly rate_limit: LimitStatus;
  readonly open: number;
}> {
  const { tenant } = principal;
  const now = ports.clock.now();
  const status = await ports.counters.status(tenant, limitsOfAll(snapshot.configuration, tenant));
  return {
    statuses: status.budgets.map((budget) => viewOf(tenant, budget, now)),
    rate_limit: status.limits,
    open: status.open,
  };
}

function viewOf(
  tenant: string,
  { account, scope, period, limit_microusd, used_microusd, reserved_microusd, tier }: BudgetStatus,
  now: number,
): BudgetView {
  const share = limit_microusd === 0 ? 100 : Math.round((used_microusd / limit_microusd) * 1000) / 10;
  const resets = Math.floor(now / 1000 + secondsUntilPeriodEnds(period, now)) * 1000;
  const model = account.split(':').slice(1).join(':');
  return {
    account,
    scope: model === '' ? scope : 'model',
    scope_id: model || (scope === 'global' ? '*' : tenant),
    period,
    limit_usd: toUsd(limit_microusd),
    spent_usd: toUsd(used_microusd - reserved_microusd),
    reserved_usd: toUsd(reserved_microusd),
    percentage: share,
    tier: tier === 'exhausted' ? 'blocked' : tier,
    resets_at: isoTime(resets),
  };
}
