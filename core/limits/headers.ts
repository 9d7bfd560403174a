/** Response headers that describe a caller's limits and budgets. An error additionally sets `Retry-After`. */
import type { BudgetStatus, LimitStatus, ReserveOutcome } from './ports.ts';
import { usd } from './spend.ts';

export function limitHeaders(outcome: ReserveOutcome): Record<string, string> {
  const warnings = outcome.ok ? outcome.budgets.filter(({ tier }) => tier === 'warning' || tier === 'exhausted') : [];
  return {
    ...rateHeaders(outcome.limits),
    // The official clients would otherwise wait and send the same call again.
    ...(!outcome.ok && outcome.never && { 'x-should-retry': 'false' }),
    ...(warnings.length > 0 && { 'x-budget-warning': warnings.map(warningText).join(', ') }),
  };
}

function rateHeaders(limits: LimitStatus): Record<string, string> {
  const headers: Record<string, string> = {};
  // Written out, because concatenated names would have to be looked up in the engine's string table on every call.
  if (limits.limit_requests !== undefined) {
    headers['x-ratelimit-limit-requests'] = String(limits.limit_requests);
    headers['x-ratelimit-remaining-requests'] = String(limits.remaining_requests ?? 0);
    headers['x-ratelimit-reset-requests'] = `${limits.reset_requests ?? 0}s`;
  }
  if (limits.limit_tokens !== undefined) {
    headers['x-ratelimit-limit-tokens'] = String(limits.limit_tokens);
    headers['x-ratelimit-remaining-tokens'] = String(limits.remaining_tokens ?? 0);
    headers['x-ratelimit-reset-tokens'] = `${limits.reset_tokens ?? 0}s`;
  }
  return headers;
}

/**
 * Formats a warning such as `tenant 93% of 50.00 USD`. The account may contain a configured glob, so non-ASCII
 * characters are replaced.
 */
function warningText({ account, used_microusd, limit_microusd }: BudgetStatus): string {
  const percent = limit_microusd === 0 ? 100 : Math.floor((used_microusd * 100) / limit_microusd);
  return `${account.replace(/[^\x20-\x7e]/g, '?')} ${percent}% of ${usd(limit_microusd)} USD`;
}
