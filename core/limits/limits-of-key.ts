/** Limits of a single key, which apply in addition to those of its tenant [limit.key]. */
import type { Identities, KeyLimits } from '#core/configuration/identity/identities.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { accountsOf, maxRemembered } from './limits-of.ts';
import type { BudgetAccount, KeyPart, Limits } from './ports.ts';

type Caller = Pick<Principal, 'key_id' | 'tenant'>;

/**
 * Returns the name under which a key's counters are stored. Tenant names contain no slash, so the name cannot be that
 * of a tenant.
 */
export const keyCounterTenant = (tenant: string, keyId: string): string => `${tenant}/${keyId}`;

/** Returns the tenant whose evidence records the calls behind these counters. */
export const tenantOfCounters = (counters: string): string => counters.split('/')[0]!;

/** Returns the names of all key counters, for the sweep. */
export const keyCounters = ({ limits }: Identities): string[] =>
  [...limits].flatMap(([id, own]) => (own.rate_limit || own.budget ? [keyCounterTenant(own.tenant, id)] : []));

/**
 * Returns the limits of the caller's key, or undefined if it has none.
 * @throws GatewayError `forbidden` in a tenant other than the key's own, because otherwise its budget would start from
 * zero in each tenant.
 */
export function ownLimitsOf({ limits }: Pick<Identities, 'limits'>, caller: Caller): KeyLimits | undefined {
  const own = limits.get(caller.key_id);
  if (own && own.tenant !== caller.tenant) {
    throw new GatewayError(
      'forbidden',
      `This key has limits of its own, so it can call models and tools only in the tenant ${own.tenant}; found ${caller.tenant}. Leave X-Tenant-ID out, or use another key.`,
    );
  }
  return own;
}

const resolvedOf = remembered((_: KeyLimits) => new RecentMap<string, KeyPart>({ max: maxRemembered }));

/**
 * Returns the counters and limits of the caller's key for a model.
 * @param model as for `limitsOf`
 * @returns undefined if the key has neither a rate limit nor a budget, so that no second counter is written.
 * @throws in the same cases as `ownLimitsOf`
 */
export function keyPartOf(identities: Pick<Identities, 'limits'>, caller: Caller, model: string): KeyPart | undefined {
  const own = ownLimitsOf(identities, caller);
  if (!own?.rate_limit && !own?.budget) return undefined;
  return resolvedOf(own).getOrInsertComputed(model, () => ({
    counters: keyCounterTenant(own.tenant, caller.key_id),
    limits: limitsOfKey(own, caller.key_id, model),
  }));
}

/**
 * Returns the limits for a key's calls to a model.
 * @param model as for `limitsOf`
 */
export function limitsOfKey({ rate_limit, budget }: KeyLimits, keyId: string, model: string): Limits {
  const { requests_per_minute, tokens_per_minute } = rate_limit ?? {};
  const budgets = accountsOf('key', `key:${keyId}`, budget, model);
  return {
    holder: 'key',
    ...(requests_per_minute !== undefined && { requests_per_minute }),
    ...(tokens_per_minute !== undefined && { tokens_per_minute }),
    budgets: budgets.flatMap((each) => [...dayBeside(each, budgets), each]),
  };
}

/** Adds a day account to a budget that has only a month account, because forecasts need days. */
function dayBeside(each: BudgetAccount, all: readonly BudgetAccount[]): BudgetAccount[] {
  const { account } = each;
  if (each.period === 'day' || all.some((other) => other.account === account && other.period === 'day')) return [];
  return [{ ...each, period: 'day', limit_microusd: Number.MAX_SAFE_INTEGER, unlimited: true }];
}
