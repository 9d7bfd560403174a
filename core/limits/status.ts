/** Remaining limits and budgets, for headers, tiers and display to people. */
import { type CounterState, reservedOf, usedOf } from './counter-state.ts';
import type { BudgetAccount, BudgetStatus, LimitStatus, Limits } from './ports.ts';
import { accountKey, tierOf } from './spend.ts';
import { type CountedUnit, inWindow, itemSecond, secondsUntilEmpty, total } from './window.ts';

export function limitStatus(state: CounterState, limits: Limits, nowMs: number): LimitStatus {
  const second = itemSecond(state.window, nowMs);
  const window = inWindow(state.window, second);
  const left = (limit: number, what: CountedUnit) => Math.max(0, limit - total(window, what));
  const { requests_per_minute, tokens_per_minute } = limits;
  return {
    ...(requests_per_minute !== undefined && {
      limit_requests: requests_per_minute,
      remaining_requests: left(requests_per_minute, 'requests'),
      reset_requests: secondsUntilEmpty(window, second, 'requests'),
    }),
    ...(tokens_per_minute !== undefined && {
      limit_tokens: tokens_per_minute,
      remaining_tokens: left(tokens_per_minute, 'tokens'),
      reset_tokens: secondsUntilEmpty(window, second, 'tokens'),
    }),
  };
}

/**
 * Returns the status of each budget.
 * @param totals amounts of global budgets that all tenants together hold, by account key, if they have just been read.
 */
export const budgetStatuses = (
  state: CounterState,
  limits: Limits,
  nowMs: number,
  totals?: ReadonlyMap<string, number>,
): readonly BudgetStatus[] =>
  limits.budgets.map((budget) => {
    const used_microusd = usedOfAll(state, budget, nowMs, totals);
    const reserved_microusd = reservedOf(state, accountKey(budget, nowMs));
    return { ...budget, used_microusd, reserved_microusd, tier: tierOf(used_microusd, budget.limit_microusd) };
  });

/**
 * Returns the used amount of a budget. For a global budget, this includes other tenants' slices as of the last time
 * this tenant's slice grew. Their unspent part counts as used, because only those tenants can spend it.
 */
export function usedOfAll(
  state: CounterState,
  budget: BudgetAccount,
  nowMs: number,
  totals?: ReadonlyMap<string, number>,
): number {
  const key = accountKey(budget, nowMs);
  const used = usedOf(state, key);
  if (budget.scope !== 'global') return used;
  const slice = state.slices[key];
  const granted = slice?.granted_microusd ?? 0;
  return Math.max(0, (totals?.get(key) ?? slice?.total_microusd ?? 0) - granted) + used;
}
