/**
 * Creates the provider for a configuration entry; unchanged entries keep their provider when the configuration is
 * reloaded.
 */
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { Clock, SecretStore, Timeouts } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { anthropicWire } from './anthropic.ts';
import type { Bedrock } from './bedrock-port.ts';
import { entryContent } from './entry-content.ts';
import type { HttpCall } from './http.ts';
import { httpProvider } from './http-provider.ts';
import { keyOf } from './key.ts';
import { openaiWire } from './openai.ts';
import { type Provider, ProviderFault, type Providers } from './ports.ts';

interface ProviderDeps {
  readonly http: HttpCall;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  /** Loads the AWS SDK on its first call; if undefined, entries of type `bedrock` are unavailable. */
  readonly bedrock: Bedrock | undefined;
}

/**
 * Maximum number of providers, more than any configuration has, so that only providers of past configurations are
 * dropped.
 */
const maxKept = 512;

export function providersFrom(deps: ProviderDeps): Providers {
  const byContent = new RecentMap<string, Provider>({ max: maxKept });

  const made = async (entry: ProviderEntry): Promise<Provider> => {
    const content = entryContent(entry);
    const fresh = byContent.get(content) ?? (await providerOf(entry, deps));
    const provider = byContent.get(content) ?? fresh; // for concurrent calls, the first one's provider is used
    byContent.set(content, provider);
    return provider;
  };

  return {
    async get(entry) {
      const { name, enabled } = entry;
      if (!enabled) throw new ProviderFault(name, 'unavailable', `${name} is disabled`);
      if (entry.api_key_env !== undefined) await keyOf(entry, deps.secrets);
      return byContent.get(entryContent(entry)) ?? made(entry);
    },
  };
}

/** Creates a provider. Provider types that few deployments use are loaded on their first call. */
async function providerOf(entry: ProviderEntry, deps: ProviderDeps): Promise<Provider> {
  switch (entry.type) {
    case 'mock':
      return (await import('./mock.ts')).mockProvider(entry, deps);
    case 'openai':
      return httpProvider(entry, openaiWire, deps);
    case 'anthropic':
      return httpProvider(entry, anthropicWire, deps);
    case 'ollama':
      return httpProvider(entry, (await import('./ollama.ts')).ollamaWire(entry), deps);
    case 'bedrock':
      return (await import('./bedrock.ts')).bedrockProvider(entry, deps);
  }
}
