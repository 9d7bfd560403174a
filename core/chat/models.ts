/** Lists the models that a caller may request by name. Patterns are excluded. */

import type { KeyLimits } from '#core/configuration/identity/identities.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { planRoute, resolveModel } from '#core/models/routing/plan.ts';
import { mayUse } from './call.ts';

export interface ListedModel {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

type Key = Pick<KeyLimits, 'allowed_models'> | undefined;

/**
 * Lists a tenant's models.
 * @param key key whose own limits exclude additional models [limit.key].
 */
export function modelsOf(configuration: Configuration, tenantId: string, key?: Key): ListedModel[] {
  const tenant = configuration.tenants.find(({ id }) => id === tenantId);
  if (!tenant) return [];
  const named = [
    ...configuration.providers.filter(({ enabled }) => enabled).flatMap(({ models }) => models),
    ...configuration.routes.map(({ match }) => match.model),
    ...Object.keys(configuration.aliases.models),
    ...tenant.allowed_models,
    ...(key?.allowed_models ?? []),
  ].filter((name) => !/[*?[\]{}]/.test(name));
  return [...new Set(named)].flatMap((id) => modelOf(configuration, tenantId, id, key) ?? []);
}

/** Returns the model if the tenant may use it and a provider serves it. */
export function modelOf(
  configuration: Configuration,
  tenantId: string,
  id: string,
  key?: Key,
): ListedModel | undefined {
  const tenant = configuration.tenants.find((one) => one.id === tenantId);
  const resolved = resolveModel(configuration, id);
  const [first] = planRoute(configuration, resolved, new Map())?.candidates ?? [];
  if (!tenant || !first || !mayUse(tenant, key, [id, resolved])) return undefined;
  return { id, object: 'model', created: 0, owned_by: first.entry.name };
}
