/** The configuration for data planes [federation.document], without credentials of callers, here or on a plane. */
import type { Configuration } from '#core/contracts/config.ts';

/** A data plane's own parts: its administrators, and the address of its control plane. */
export type OwnOfPlane = Pick<Configuration, 'admin' | 'federation'>;

type ServedConfiguration = Omit<Configuration, 'admin' | 'federation' | 'tenants'> & {
  readonly tenants: readonly Omit<Configuration['tenants'][number], 'api_keys'>[];
};

/**
 * Returns the configuration for data planes. It contains names of environment variables, under which a plane finds its
 * own secrets, but no keys, tokens or their digests: a short key can be found from its digest.
 */
export function servedConfiguration(configuration: Configuration): ServedConfiguration {
  const { admin: _admin, federation: _federation, tenants, ...rest } = configuration;
  return { ...rest, tenants: tenants.map(({ api_keys: _keys, ...tenant }) => tenant) };
}
