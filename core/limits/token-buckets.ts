/** Token buckets of one process, one per name. Each allows a burst, then a fixed rate per second. */
import { RecentMap } from '#core/kernel/recent-map.ts';

interface BucketShape {
  /** Number of tokens in a full bucket. */
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Maximum number of names that are remembered. The least recently used one is dropped first. */
const maxNames = 10_000;

export class TokenBuckets {
  readonly #buckets = new RecentMap<string, Bucket>({ max: maxNames });

  /**
   * Takes one token.
   * @returns undefined on success, otherwise the seconds to wait.
   */
  take(name: string, shape: BucketShape, nowMs: number): number | undefined {
    const tokens = this.#tokens(name, shape, nowMs);
    const left = tokens < 1 ? tokens : tokens - 1;
    this.#buckets.set(name, { tokens: left, at: nowMs });
    return tokens < 1 ? Math.ceil((1 - tokens) / shape.perSecond) : undefined;
  }

  /** Reports whether the bucket currently contains less than one token. */
  empty(name: string, shape: BucketShape, nowMs: number): boolean {
    return this.#tokens(name, shape, nowMs) < 1;
  }

  #tokens(name: string, { burst, perSecond }: BucketShape, nowMs: number): number {
    const known = this.#buckets.get(name);
    if (!known) return burst;
    return Math.min(burst, known.tokens + (Math.max(0, nowMs - known.at) / 1000) * perSecond);
  }
}
