/** Every budget a tenant's calls may meet, whatever their model. */
import type { Configuration } from '#core/contracts/config.ts';
import { compileGlob } from '#core/matching/glob.ts';
import { exampleOf } from '#core/matching/glob-example.ts';
import { limitsOf } from './limits-of.ts';
import type { Limits } from './ports.ts';

/** The limits of calls to any model: every account of the tenant and the global ones, each once. */
export function limitsOfAll(configuration: Configuration, tenant: string): Limits {
  const { global, tenants } = configuration.budgets;
  const own = Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
  const patterns = [...Object.keys(own?.models ?? {}), ...Object.keys(global?.models ?? {})];
  const models = ['', ...patterns.flatMap((pattern) => [pattern, exampleOf(compileGlob(pattern, 'text'))])];
  const limits = models.map((model) => limitsOf(configuration, tenant, model));
  const accounts = limits.flatMap(({ budgets }) => budgets);
  const each = new Map(accounts.map((budget) => [`${budget.account}|${budget.period}`, budget]));
  return { ...limits[0], budgets: [...each.values()] };
}
