/** Provider entries as the configuration creates them, with every default filled in. */
import type { ProviderEntry } from '#core/contracts/config.ts';
import { configurationSchema } from '#features/configuration.ts';

type Given = Partial<Omit<ProviderEntry, 'breaker'>> & {
  readonly name: string;
  readonly type: ProviderEntry['type'];
  readonly breaker?: Partial<ProviderEntry['breaker']>;
};

export function providerEntry(given: Given): ProviderEntry {
  const tenants = [{ id: 'default', api_keys: ['key'] }];
  return configurationSchema.parse({ version: 1, tenants, providers: [given] }).providers[0]!;
}
