/** Lists the tenants of the active configuration with their names and limits, but never their keys. */
import type { Tenant } from '#core/contracts/config.ts';
import type { Operation } from './operation.ts';

/** Lists all tenants for platform callers, and only the caller's own for others [admin.whoami]. */
export const listTenants: Operation = async ({ principal, snapshot }) => {
  const { tenants } = snapshot.configuration;
  const visible = tenants.filter(({ id }) => principal.platform || id === principal.tenant);
  return { body: { tenants: visible.map(tenantAnswer) } };
};

const tenantAnswer = ({ id, name, api_keys, rate_limit, allowed_models, max_body_bytes }: Tenant) => ({
  id,
  name: name ?? id,
  keys: api_keys.length,
  requests_per_minute: rate_limit?.requests_per_minute ?? null,
  tokens_per_minute: rate_limit?.tokens_per_minute ?? null,
  allowed_models,
  max_body_bytes: max_body_bytes ?? null,
});
