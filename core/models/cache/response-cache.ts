/** Response cache of one process: exact, semantic if enabled, with one cache per tenant. */
import type { Clock } from '#core/kernel/ports.ts';
import { cosine } from './cosine.ts';
import type { CachedReply, CacheQuestion, Embedder, Lookup, ResponseCache } from './ports.ts';
import { mayMeanTheSame } from './same-meaning.ts';
import { type FlightResult, SingleFlight } from './single-flight.ts';
import { type CacheEntry, fromText, type Meaning, replyCharacters, TenantCache, toText } from './tenant-cache.ts';

interface CacheDeps {
  readonly clock: Clock;
  /** Without an embedder there are no semantic hits. */
  readonly embedder?: Embedder;
}

export function responseCache({ clock, embedder }: CacheDeps): ResponseCache {
  const caches = new Map<string, TenantCache>();
  const running = new SingleFlight();
  let evictions = 0;

  return {
    async lookup(question, signal) {
      signal.throwIfAborted();
      const exact = caches.get(question.tenant)?.find(question.key, clock.now());
      if (exact) return { state: 'HIT', cached: fromText(exact.json) };
      const flightKey = JSON.stringify([question.tenant, question.key]);
      if (running.inFlight(flightKey)) return running.wait(flightKey, signal);
      running.start(flightKey);
      return fly(flightKey, question, signal);
    },

    takeEvictions() {
      const taken = evictions;
      evictions = 0;
      return taken;
    },

    clear(tenant) {
      const cleared = living(tenant);
      caches.delete(tenant);
      return cleared;
    },

    stats(tenant) {
      const names = tenant === undefined ? [...caches.keys()] : [tenant];
      return { entries: names.reduce((sum, name) => sum + living(name), 0) };
    },
  };

  /** Looks for a similar question; otherwise the first caller gets the flight and brings the answer. */
  async function fly(flightKey: string, question: CacheQuestion, signal: AbortSignal): Promise<Lookup> {
    let meaning: Meaning | undefined;
    const keep = (reply: CachedReply) => keepReply(question, meaning, reply);
    const flight = running.flight(flightKey, keep);
    try {
      meaning = await meaningOf(question, signal);
      signal.throwIfAborted();
    } catch (cause) {
      flight.drop();
      throw cause;
    }
    const near = meaning && nearest(question, meaning);
    if (!near) return { state: 'MISS', flight };
    const result = (): Lookup => ({ state: 'SEMANTIC-HIT', cached: fromText(near.json) });
    running.resolve(flightKey, result, keep);
    return result();
  }

  /** Embeds the question. If the embedder fails, the lookup continues without a meaning. */
  async function meaningOf({ semantic }: CacheQuestion, signal: AbortSignal): Promise<Meaning | undefined> {
    if (!semantic || !embedder) return undefined;
    const { frame, text } = semantic;
    try {
      return { frame, text, vector: await embedder.embed(text, signal) };
    } catch {
      return undefined;
    }
  }

  function nearest({ tenant, semantic }: CacheQuestion, meaning: Meaning): CacheEntry | undefined {
    const cache = caches.get(tenant);
    if (!cache || !semantic) return undefined;
    let best: { kept: CacheEntry; likeness: number } | undefined;
    for (const kept of cache.candidates(meaning.frame, clock.now())) {
      const likeness = cosine(meaning.vector, kept.meaning.vector);
      if (likeness < Math.max(semantic.threshold, best?.likeness ?? 0)) continue;
      if (mayMeanTheSame(meaning.text, kept.meaning.text)) best = { kept, likeness };
    }
    // Marks the entry as used, so that frequent questions stay cached.
    return best && cache.find(best.kept.key, clock.now());
  }

  function keepReply(question: CacheQuestion, meaning: Meaning | undefined, reply: CachedReply): FlightResult {
    const json = toText(reply);
    if (json.length <= replyCharacters && question.maxEntries > 0) {
      const now = clock.now();
      const cache = caches.get(question.tenant) ?? new TenantCache();
      caches.set(question.tenant, cache);
      const expiresAt = now + question.ttlSeconds * 1000;
      const kept: CacheEntry = { key: question.key, json, expiresAt, ...(meaning && { meaning }) };
      evictions += cache.add(kept, question.maxEntries, now);
    }
    return () => ({ state: 'HIT', cached: fromText(json) });
  }

  /** Removes expired entries of the tenant and counts the others. */
  function living(tenant: string): number {
    const cache = caches.get(tenant);
    cache?.expire(clock.now());
    if (cache?.size === 0) caches.delete(tenant);
    return cache?.size ?? 0;
  }
}
