/** Reads a provider's key from the secret named in its entry. */
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import { ProviderFault } from './ports.ts';

/**
 * Returns the key named by the entry, read at call time, or undefined if the provider does not require a key.
 * @throws ProviderFault
 */
export async function keyOf(entry: ProviderEntry, secrets: SecretStore): Promise<string | undefined> {
  const { name, api_key_env } = entry;
  if (api_key_env === undefined) return undefined;
  let key: string | undefined;
  try {
    // A line break at the end belongs to the file, not to the key.
    key = (await secrets.get(api_key_env))?.trim();
  } catch (cause) {
    throw new ProviderFault(name, 'unavailable', `the secret ${api_key_env} of ${name} cannot be read`, {
      cause,
      reason: 'no_key',
    });
  }
  if (!key) throw noKey(name, `${name} has no key: ${api_key_env} is not set`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw noKey(name, `${api_key_env} contains characters that an HTTP header cannot carry`);
  return key;
}

const noKey = (provider: string, message: string) =>
  new ProviderFault(provider, 'unavailable', message, { reason: 'no_key' });
