/**
 * The configuration for data planes [federation.document], without the credentials of callers, either here or on a
 * plane.
 */
import type { Configuration } from '#core/contracts/config.ts';

/** A data plane's own parts: its administrators and its control plane's address. */
export type PlaneSections = Pick<Configuration, 'admin' | 'federation'>;

type ServedConfiguration = Omit<Configuration, 'admin' | 'federation' | 'tenants'> & {
  readonly tenants: readonly Omit<Configuration['tenants'][number], 'api_keys'>[];
};

/**
 * Returns the configuration for data planes. It contains the names of environment variables, under which a plane finds
 * its own secrets, but no keys, tokens or digests of either, because a short key can be guessed from its digest.
 */
export function servedConfiguration(configuration: Configuration): ServedConfiguration {
  const { admin: _admin, federation: _federation, tenants, ...rest } = configuration;
  return { ...rest, tenants: tenants.map(({ api_keys: _keys, ...tenant }) => tenant) };
}
