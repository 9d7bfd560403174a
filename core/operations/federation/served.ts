/** The configuration as data planes get it [federation.no-secret]: without what lets callers in, here or on a plane. */
import type { Configuration } from '#core/contracts/config.ts';

/** What a data plane has of its own: who administers it, and how it finds its control plane. */
export type OwnOfPlane = Pick<Configuration, 'admin' | 'federation'>;

type ServedConfiguration = Omit<Configuration, 'admin' | 'federation' | 'tenants'> & {
  readonly tenants: readonly Omit<Configuration['tenants'][number], 'api_keys'>[];
};

/**
 * Names of environment variables stay: they say where a plane looks for its own secrets. Keys, tokens and their digests go:
 * of a short key even the digest is enough to find it.
 */
export function servedConfiguration(configuration: Configuration): ServedConfiguration {
  const { admin: _admin, federation: _federation, tenants, ...rest } = configuration;
  return { ...rest, tenants: tenants.map(({ api_keys: _keys, ...tenant }) => tenant) };
}
