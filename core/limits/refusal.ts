/**
 * Refusals of calls. Rate limits are checked first, then every budget. If both rate limits refuse, the refusal with the
 * longer wait is returned.
 */
import { type CounterState, maxOpen, usedOf, type WantedSlices } from './counter-state.ts';
import type { BudgetAccount, ReserveOutcome, ReserveRequest } from './ports.ts';
import { accountKey, secondsUntilPeriodEnds, usd } from './spend.ts';
import { usedOfAll } from './status.ts';
import {
  type Bucket,
  type CountedUnit,
  inWindow,
  itemSecond,
  secondsUntilFreed,
  total,
  windowSeconds,
} from './window.ts';

type Refusal = Omit<Extract<ReserveOutcome, { ok: false }>, 'ok' | 'limits'>;

/**
 * Returns the refusal of a call, or undefined if the call may pass.
 * @param wanted as in `applyReserve`.
 */
export function refusalOf(
  state: CounterState,
  request: ReserveRequest,
  nowMs: number,
  wanted?: WantedSlices,
): Refusal | undefined {
  const { requests_per_minute, tokens_per_minute, budgets, holder = 'tenant' } = request.limits;
  const second = itemSecond(state.window, nowMs);
  const window = { buckets: inWindow(state.window, second), second };
  const refused =
    tooManyOpen(state, holder) ??
    longestWait(
      overLimit(window, 'requests', 1, requests_per_minute, holder),
      overLimit(window, 'tokens', request.tokens, tokens_per_minute, holder),
    );
  if (refused) return refused;
  // Slices are requested only once every account is known to have room, so a refused call requests none.
  const lacking = new Map(wanted);
  for (const budget of budgets) {
    const over = overBudget(state, budget, request.cost_microusd, nowMs, wanted && lacking);
    if (over) return over;
  }
  for (const [key, want] of lacking) wanted?.set(key, want);
  return undefined;
}

type Holder = 'tenant' | 'key';

function tooManyOpen({ open }: CounterState, holder: Holder): Refusal | undefined {
  if (open.length < maxOpen) return undefined;
  return {
    code: 'rate_limit_error',
    what: 'open_calls',
    message: `${open.length} calls of this ${holder} are open; at most ${maxOpen} may be open at once. Try again in 1 s.`,
    retryAfterSeconds: 1,
  };
}

/** Returns the refusal with the longer wait, so that `Retry-After` is correct for both limits. */
const longestWait = (requests: Refusal | undefined, tokens: Refusal | undefined): Refusal | undefined =>
  (tokens?.retryAfterSeconds ?? 0) > (requests?.retryAfterSeconds ?? 0) ? tokens : requests;

function overLimit(
  { buckets, second }: { readonly buckets: readonly Bucket[]; readonly second: number },
  what: CountedUnit,
  needed: number,
  limit: number | undefined,
  holder: Holder,
): Refusal | undefined {
  if (limit === undefined) return undefined;
  const used = total(buckets, what);
  // A limit of 0 refuses even calls with a count of zero.
  if (used + needed <= limit && limit > 0) return undefined;
  const refusal = { code: 'rate_limit_error', what: `${what}_per_minute` } as const;
  const never = limit === 0 || needed > limit;
  if (never) {
    const found = what === 'requests' ? '' : `; this call may take ${needed}, so waiting does not help`;
    return {
      ...refusal,
      message: `This ${holder} may use ${limit} ${what} per minute${found}. Send fewer or smaller calls, or ask an operator to raise the limit.`,
      retryAfterSeconds: windowSeconds,
      never,
    };
  }
  const seconds = secondsUntilFreed(buckets, second, what, used + needed - limit);
  const asked = what === 'requests' ? '' : ` and this call may take ${needed}`;
  return {
    ...refusal,
    message: `This ${holder} may use ${limit} ${what} per minute; ${used} are counted${asked}. Try again in ${seconds} s.`,
    retryAfterSeconds: seconds,
  };
}

/** Checks one budget. Even a free call needs room: an exhausted budget refuses every call. */
function overBudget(
  state: CounterState,
  budget: BudgetAccount,
  cost: number,
  nowMs: number,
  wanted: WantedSlices | undefined,
): Refusal | undefined {
  const key = accountKey(budget, nowMs);
  const level = usedOf(state, key) + Math.max(1, cost);
  const { limit_microusd } = budget;
  if (level > limit_microusd) return budgetRefusal(state, budget, cost, nowMs);
  if (budget.scope !== 'global' || level <= (state.slices[key]?.granted_microusd ?? 0)) return undefined;
  if (!wanted) return budgetRefusal(state, budget, cost, nowMs);
  const before = wanted.get(key);
  wanted.set(key, {
    limit_microusd,
    level: Math.max(level, before?.level ?? 0),
    spends: cost > 0 || before?.spends === true,
  });
  return undefined;
}

function budgetRefusal(state: CounterState, budget: BudgetAccount, cost: number, nowMs: number): Refusal {
  const { account, scope, period, limit_microusd } = budget;
  const named = scope === 'key' ? `This key's budget ${account}` : `The budget ${account}`;
  const used = usedOfAll(state, budget, nowMs);
  const seconds = secondsUntilPeriodEnds(period, nowMs);
  return {
    code: 'budget_exceeded',
    what: account,
    message:
      cost > limit_microusd
        ? `${named} of ${usd(limit_microusd)} USD per ${period} is smaller than this call, which may cost ${usd(cost)} USD. Waiting does not help: lower max_tokens, or name a cheaper model.`
        : `${named} of ${usd(limit_microusd)} USD per ${period} does not cover this call: ${usd(used)} USD are spent or reserved ` +
          `and this call may cost ${usd(cost)} USD. It resets in ${seconds} s.`,
    retryAfterSeconds: seconds,
  };
}
