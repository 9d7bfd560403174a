/** Response cache of one process, with one cache per tenant. Supports exact hits, and semantic hits if enabled. */
import type { Clock } from '#core/kernel/ports.ts';
import type { CachedReply, CacheQuestion, Embedder, Flight, Lookup, ResponseCache } from './ports.ts';
import { mayMeanTheSame } from './same-meaning.ts';
import { type CacheEntry, fromText, type Meaning, replyCharacters, TenantCache, toText } from './tenant-cache.ts';

interface CacheDeps {
  readonly clock: Clock;
  /** Embedder for semantic hits. If absent, there are none. */
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

  /** Looks for a similar question. If there is none, the first caller gets the flight and provides the answer. */
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

  /** Embeds the question. If the embedder fails, the lookup continues without semantic matching. */
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

  /** Removes the tenant's expired entries and counts the remaining ones. */
  function living(tenant: string): number {
    const cache = caches.get(tenant);
    cache?.expire(clock.now());
    if (cache?.size === 0) caches.delete(tenant);
    return cache?.size ?? 0;
  }
}

/** Returns the cosine of the angle between two vectors, or 0 if they cannot be compared. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return 0;
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  const likeness = dot / Math.sqrt(aa * bb);
  return Number.isFinite(likeness) ? likeness : 0;
}

interface Waiter {
  settle(lookup: Lookup): void;
}

/**
 * Result of a flight for waiting callers: a function that creates a lookup for each, or undefined if the flight
 * produced no answer.
 */
type FlightResult = (() => Lookup) | undefined;

/** Queue per key. Handover is synchronous, so that no third flight can start in between and no waiter is forgotten. */
class SingleFlight {
  readonly #waiting = new Map<string, Set<Waiter>>();

  inFlight(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Claims the key; later calls wait until `resolve`. */
  start(key: string): void {
    this.#waiting.set(key, new Set());
  }

  /**
   * Waits for the current flight.
   * @throws the signal's reason if it aborts first; the waiter then leaves the queue.
   */
  wait(key: string, signal: AbortSignal): Promise<Lookup> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(key)!;
      const leave = () => {
        queue.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        settle: (lookup) => {
          signal.removeEventListener('abort', leave);
          resolve(lookup);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.add(waiter);
    });
  }

  /**
   * Ends the flight. With a result, all waiters receive it. Without one, the first waiter starts the next flight and
   * the others continue to wait.
   * @param keep implements `Flight.keep` of the next flight.
   */
  resolve(key: string, result: FlightResult, keep: (reply: CachedReply) => FlightResult): void {
    const queue = this.#waiting.get(key);
    if (!queue) return;
    if (result) {
      this.#waiting.delete(key);
      for (const waiter of queue) waiter.settle(result());
      return;
    }
    const [next] = queue;
    if (!next) {
      this.#waiting.delete(key);
      return;
    }
    queue.delete(next);
    next.settle({ state: 'MISS', flight: this.flight(key, keep) });
  }

  /** Returns the right to resolve this key's flight once. */
  flight(key: string, keep: (reply: CachedReply) => FlightResult): Flight {
    let resolved = false;
    const once = (work: () => FlightResult) => {
      if (resolved) return;
      resolved = true;
      let result: FlightResult;
      // Waiters must not wait forever, even if processing the reply fails.
      try {
        result = work();
      } finally {
        this.resolve(key, result, keep);
      }
    };
    return { keep: (reply) => once(() => keep(reply)), drop: () => once(() => undefined) };
  }
}
