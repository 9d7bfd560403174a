/** Current budgets and rate limits, read from the counters, never from projections. */

import type { budgetSchema } from '#core/contracts/answers/status.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { keyStatuses } from '#core/limits/key-statuses.ts';
import { limitsOfAll } from '#core/limits/limits-of-all.ts';
import type { BudgetStatus, CountersStatus, LimitStatus } from '#core/limits/ports.ts';
import { secondsUntilPeriodEnds } from '#core/limits/spend.ts';
import { toUsd } from '#core/observatory/request-row.ts';
import { subjectOf, tenantsOf } from './by-path.ts';
import type { Call, Operation } from './operation.ts';

export const listBudgets: Operation = async (call) => {
  if (call.query.path !== undefined) return { body: await budgetsBelow(call) };
  const { statuses, rate_limit, open } = await budgetsOf(call);
  return { body: { tenant: call.principal.tenant, statuses, rate_limit, open_reservations: open } };
};

/**
 * Returns the budgets of all tenants below a path, each with its tenant. Budgets shared by all tenants come first and
 * are listed only once [admin.by-path].
 */
async function budgetsBelow(call: Call) {
  const tenants = tenantsOf(call);
  const each = await Promise.all(
    tenants.map(async (tenant) => ({
      tenant,
      ...(await budgetsOf({ ...call, principal: { ...call.principal, tenant } })),
    })),
  );
  const own = each.flatMap(({ tenant, statuses }) =>
    statuses.filter((status) => !isShared(status)).map((status) => ({ ...status, tenant })),
  );
  return {
    ...subjectOf(call, tenants),
    statuses: [...(each[0]?.statuses.filter(isShared) ?? []), ...own],
    open_reservations: each.reduce((sum, { open }) => sum + open, 0),
  };
}

/** Checks for a platform budget, which is the same for every tenant. */
export const isShared = ({ account }: BudgetView): boolean => account.split(':')[0] === 'global';

export type BudgetView = Shape<typeof budgetSchema>;

export async function budgetsOf({
  ports,
  principal,
  snapshot,
}: Pick<Call, 'ports' | 'principal' | 'snapshot'>): Promise<{
  readonly statuses: readonly BudgetView[];
  readonly rate_limit: LimitStatus;
  readonly open: number;
  /** Spending of keys that have budgets, as in `CountersStatus`. */
  readonly keySpend: CountersStatus['spend'];
}> {
  const { tenant } = principal;
  const now = ports.clock.now();
  const [status, keys] = await Promise.all([
    ports.counters.status(tenant, limitsOfAll(snapshot.configuration, tenant)),
    keyStatuses(ports.counters, snapshot.identities, tenant),
  ]);
  return {
    statuses: [
      ...status.budgets.map((budget) => viewOf(tenant, budget, now)),
      ...keys.flatMap(({ name, budgets }) =>
        budgets.map((budget) => ({ ...viewOf(tenant, budget, now), key_name: name })),
      ),
    ],
    keySpend: Object.assign({}, ...keys.map(({ spend }) => spend)) as CountersStatus['spend'],
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
  // For a key, its id followed by the pattern.
  const model = account.split(':').slice(1).join(':');
  return {
    account,
    scope: model === '' || scope === 'key' ? scope : 'model',
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
