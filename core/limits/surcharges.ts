/**
 * Request options that cost more than the list price: a faster tier, a faster mode, a region [budget.served]. The
 * factors are the highest that vendors list for any model (as of 2026-11), so that no budget is exceeded unnoticed.
 */
import type { JsonObject } from '#core/kernel/json.ts';

/** Factors applied to the list price, by request member and value. */
const factors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  service_tier: {
    auto: 1,
    batch: 1,
    default: 1,
    flex: 1,
    on_demand: 1,
    scale: 1,
    standard: 1,
    standard_only: 1,
    priority: 2,
  },
  speed: { standard: 1, fast: 6 },
  inference_geo: { global: 1, not_available: 1, us: 1.1 },
};

const factorsByMember = Object.entries(factors);

/** Members that may also appear in a provider's response, which then names the value that was served. */
export const chargedMembers: readonly string[] = Object.keys(factors);

/**
 * Returns the factor for a request, which is 1 if there are no surcharges. An unknown value counts as its member's most
 * expensive value.
 */
export function surchargeOf(body: JsonObject): number {
  let factor = 1;
  for (const [member, known] of factorsByMember) {
    const value = body[member];
    if (value === undefined || value === null) continue;
    const listed = typeof value === 'string' && Object.hasOwn(known, value) ? known[value] : undefined;
    factor *= listed ?? Math.max(...Object.values(known));
  }
  return factor;
}
