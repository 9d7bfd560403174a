/** The limits and budgets that apply to a call under the active configuration. */
import type { Budget, Configuration } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { modelMatches } from '#core/models/routing/model-glob.ts';
import type { BudgetAccount, Limits } from './ports.ts';
import { microusdOf } from './spend.ts';

/** Maximum number of models that are remembered, because callers choose the names. */
export const maxRemembered = 1000;
const resolvedOf = remembered((_: Configuration) => new RecentMap<string, Limits>({ max: maxRemembered }));

/**
 * Returns the limits for a tenant's calls to a model.
 * @param model the name that aliases resolve to. If it is empty (calls without a model), only budgets that cover all
 * models apply.
 * @throws GatewayError `forbidden` if the tenant is not in the configuration (fails closed).
 */
export function limitsOf(configuration: Configuration, tenantId: string, model: string): Limits {
  const name = `${tenantId}\n${model}`;
  return resolvedOf(configuration).getOrInsertComputed(name, () => resolve(configuration, tenantId, model));
}

function resolve({ tenants, budgets }: Configuration, tenantId: string, model: string): Limits {
  const tenant = tenants.find(({ id }) => id === tenantId);
  if (!tenant)
    throw new GatewayError(
      'forbidden',
      `The tenant ${JSON.stringify(tenantId)} is not in the configuration; use the id of a configured tenant.`,
    );
  const { requests_per_minute, tokens_per_minute } = tenant.rate_limit ?? {};
  const own = Object.hasOwn(budgets.tenants, tenantId) ? budgets.tenants[tenantId] : undefined;
  return {
    ...(requests_per_minute !== undefined && { requests_per_minute }),
    ...(tokens_per_minute !== undefined && { tokens_per_minute }),
    budgets: [...accountsOf('tenant', 'tenant', own, model), ...accountsOf('global', 'global', budgets.global, model)],
  };
}

type Budgets = Budget & { readonly models?: Readonly<Record<string, Budget>> | undefined };

/**
 * Returns a budget's accounts that apply to a model.
 * @param name name of the account that covers all models.
 */
export function accountsOf(
  scope: BudgetAccount['scope'],
  name: string,
  budgets: Budgets | undefined,
  model: string,
): BudgetAccount[] {
  if (!budgets) return [];
  const ofModel = Object.entries(budgets.models ?? {})
    .filter(([pattern]) => model !== '' && modelMatches(pattern, model))
    .flatMap(([pattern, budget]) => periodsOf(scope, `${name}:${pattern}`, budget));
  return [...periodsOf(scope, name, budgets), ...ofModel];
}

const periodsOf = (scope: BudgetAccount['scope'], account: string, budget: Budget): BudgetAccount[] =>
  (['day', 'month'] as const).flatMap((period) => {
    const usd = period === 'day' ? budget.daily_usd : budget.monthly_usd;
    return usd === undefined ? [] : [{ account, scope, period, limit_microusd: microusdOf(usd) }];
  });
