/** Every budget that can apply to a tenant's calls, for any model. */

import type { KeyLimits } from '#core/configuration/identity/identities.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { compileGlob } from '#core/text/matching/glob.ts';
import { exampleOf } from '#core/text/matching/glob-example.ts';
import { limitsOf } from './limits-of.ts';
import { limitsOfKey } from './limits-of-key.ts';
import type { Limits } from './ports.ts';

/** Returns the limits for calls to any model. They contain every tenant account and every global account once. */
export function limitsOfAll(configuration: Configuration, tenant: string): Limits {
  const { global, tenants } = configuration.budgets;
  const own = Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
  const patterns = [...Object.keys(own?.models ?? {}), ...Object.keys(global?.models ?? {})];
  return ofAllModels(patterns, (model) => limitsOf(configuration, tenant, model));
}

/** Returns the same limits for a key that has limits of its own. */
export const limitsOfAllOfKey = (own: KeyLimits, keyId: string): Limits =>
  ofAllModels(Object.keys(own.budget?.models ?? {}), (model) => limitsOfKey(own, keyId, model));

function ofAllModels(patterns: readonly string[], limitsFor: (model: string) => Limits): Limits {
  const models = ['', ...patterns.flatMap((pattern) => [pattern, exampleOf(compileGlob(pattern, 'text'))])];
  const limits = models.map(limitsFor);
  const accounts = limits.flatMap(({ budgets }) => budgets);
  const each = new Map(accounts.map((budget) => [`${budget.account}|${budget.period}`, budget]));
  return { ...limits[0], budgets: [...each.values()] };
}
