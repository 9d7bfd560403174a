/** Response headers for a caller's limits and budgets. The error adds `Retry-After`. */
import type { BudgetStatus, LimitStatus, ReserveOutcome } from './ports.ts';
import { usd } from './spend.ts';

export function limitHeaders(outcome: ReserveOutcome): Record<string, string> {
  const warnings = outcome.ok ? outcome.budgets.filter(({ tier }) => tier === 'warning' || tier === 'exhausted') : [];
  return {
    ...rateHeaders(outcome.limits),
    ...(warnings.length > 0 && { 'x-budget-warning': warnings.map(warningText).join(', ') }),
  };
}

function rateHeaders(limits: LimitStatus): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const what of ['requests', 'tokens'] as const) {
    const limit = limits[`limit_${what}`];
    if (limit === undefined) continue;
    headers[`x-ratelimit-limit-${what}`] = String(limit);
    headers[`x-ratelimit-remaining-${what}`] = String(limits[`remaining_${what}`] ?? 0);
    headers[`x-ratelimit-reset-${what}`] = `${limits[`reset_${what}`] ?? 0}s`;
  }
  return headers;
}

/**
 * Formats a warning such as `tenant 93% of 50.00 USD`. The account may contain a configured glob, so characters other
 * than ASCII are replaced.
 */
function warningText({ account, used_microusd, limit_microusd }: BudgetStatus): string {
  const percent = limit_microusd === 0 ? 100 : Math.floor((used_microusd * 100) / limit_microusd);
  return `${account.replace(/[^\x20-\x7e]/g, '?')} ${percent}% of ${usd(limit_microusd)} USD`;
}
