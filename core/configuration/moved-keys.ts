/** A provider's key goes to the address it was entered for: a changed `base_url` drops it (contract §2). */
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';

/**
 * For a configuration that comes over HTTP: whoever may edit it must not have a key in force sent to an address of their
 * choice, by that provider's name or another's. Files, the operator's own, and rollbacks are not asked.
 */
export function dropMovedKeys(
  before: Configuration,
  after: Configuration,
): { readonly configuration: Configuration; readonly warnings: readonly string[] } {
  const addresses = Map.groupBy(
    before.providers.filter(({ api_key_env }) => api_key_env !== undefined),
    ({ api_key_env }) => api_key_env,
  );
  const isMoved = (provider: ProviderEntry): boolean => {
    const known = provider.api_key_env === undefined ? undefined : addresses.get(provider.api_key_env);
    return known !== undefined && !known.some((other) => addressOf(other) === addressOf(provider));
  };
  const providers = after.providers.map((provider) => (isMoved(provider) ? withoutKey(provider) : provider));
  const warnings = after.providers
    .filter(isMoved)
    .map(
      ({ name, api_key_env }) =>
        `The provider ${name} has another base_url than the one ${api_key_env} was entered for, so it has no key now; ` +
        'name a variable of its own, or import the change from the configuration file.',
    );
  return { configuration: { ...after, providers }, warnings };
}

/** Without an address each type calls its vendor's. */
const addressOf = ({ type, base_url }: ProviderEntry): string =>
  base_url === undefined ? type : new URL(base_url).href.replace(/\/+$/, '');

function withoutKey({ api_key_env: _dropped, ...provider }: ProviderEntry): ProviderEntry {
  return provider;
}
