/** Embedder of the semantic cache: the configured provider, or local character n-grams. */

import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import { ngramEmbedder } from '#core/models/cache/ngram-embedder.ts';
import type { Embedder } from '#core/models/cache/ports.ts';
import type { Providers } from '#core/models/providers/ports.ts';

/**
 * Returns the configured embedder. Vectors are compared only within one policy version, so changing the embedder is
 * safe.
 */
export function configuredEmbedder(ports: { readonly snapshots: Snapshots; readonly providers: Providers }): Embedder {
  const local = ngramEmbedder();
  return {
    name: 'configured',
    async embed(text, signal) {
      const { cache, providers } = (await ports.snapshots.current()).configuration;
      const { embedder, embedding_model } = cache.semantic;
      const entry = providers.find(({ name }) => name === embedder);
      if (!entry) return local.embed(text, signal);
      const provider = await ports.providers.get(entry);
      const [vector] = (await provider.embed?.(embedding_model ?? 'text-embedding-3-small', [text], signal)) ?? [];
      if (!vector) throw new Error(`${entry.name} returned no embedding`);
      return vector;
    },
  };
}
