/** Calls, limits and budgets for counter tests; the clock is in the middle of a second. */
import { applyAll, type Transition } from '#core/limits/batch.ts';
import type { CounterState } from '#core/limits/counter-state.ts';
import type { BudgetAccount, Limits, ReserveOutcome, ReserveRequest, Settlement } from '#core/limits/ports.ts';
import { applyReserve, applySettle } from '#core/limits/state.ts';

export const now = Date.UTC(2026, 10, 21, 12, 0, 0, 500);

export const budget = (limit_microusd: number, over: Partial<BudgetAccount> = {}): BudgetAccount => ({
  account: 'tenant',
  scope: 'tenant',
  period: 'month',
  limit_microusd,
  ...over,
});

export const globalBudget = (limit_microusd: number): BudgetAccount =>
  budget(limit_microusd, { account: 'global', scope: 'global' });

export const noLimits: Limits = { budgets: [] };

let made = 0;

export const call = (limits: Limits, over: Partial<ReserveRequest> = {}): ReserveRequest => ({
  tenant: 't',
  id: `call-${made++}`,
  session_id: 's',
  tokens: 10,
  cost_microusd: 0,
  limits,
  ...over,
});

export const settled = (over: Partial<Settlement> = {}): Settlement => ({
  tokens: 10,
  cost_microusd: 0,
  counted: true,
  ...over,
});

/** Returns the outcome of a reserve that must have been refused. */
export function refusal(outcome: ReserveOutcome): Extract<ReserveOutcome, { ok: false }> {
  if (outcome.ok) throw new Error('it was let through');
  return outcome;
}

/** Returns one tenant's counters with a manual clock and without a store. */
export function counters(start: CounterState) {
  let state = start;
  const time = { ms: now };
  const run = <T>(transition: Transition<T>): T => {
    const batch = applyAll(state, [transition], time.ms);
    state = batch.state;
    return batch.outcomes[0] as T;
  };
  return {
    time,
    state: () => state,
    run,
    reserve: (request: ReserveRequest) => run((before, at, wanted) => applyReserve(before, request, at, wanted)),
    settle: (id: string, settlement: Settlement) => run((before, at) => applySettle(before, id, settlement, at)),
  };
}
