/**
 * The configuration for data planes [federation.document]. It excludes all callers' credentials, whether for this
 * gateway or for a plane.
 */
import type { Configuration } from '#core/contracts/config.ts';

type ServedConfiguration = Omit<Configuration, 'admin' | 'federation' | 'tenants'> & {
  readonly tenants: readonly Omit<Configuration['tenants'][number], 'api_keys'>[];
};

/**
 * Returns the configuration for data planes. It contains the names of environment variables, which a plane uses to find
 * its own secrets. It contains no keys or tokens, nor digests of them, because a short key can be guessed from its
 * digest.
 */
export function servedConfiguration(configuration: Configuration): ServedConfiguration {
  const { admin: _admin, federation: _federation, tenants, ...rest } = configuration;
  return { ...rest, tenants: tenants.map(({ api_keys: _keys, ...tenant }) => tenant) };
}
