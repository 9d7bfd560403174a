/** Token buckets of one process, one for each name: a burst at once, then so many a second. */
import { RecentMap } from '#core/kernel/recent-map.ts';

interface BucketShape {
  /** Tokens of a bucket that was not used for a while. */
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Names that are remembered; the one that was used longest ago goes first. */
const maxNames = 10_000;

export class TokenBuckets {
  readonly #buckets = new RecentMap<string, Bucket>({ max: maxNames });

  /**
   * Takes one token.
   * @returns the seconds to wait when there is none; nothing is taken then.
   */
  take(name: string, shape: BucketShape, nowMs: number): number | undefined {
    const tokens = this.#tokens(name, shape, nowMs);
    const left = tokens < 1 ? tokens : tokens - 1;
    this.#buckets.set(name, { tokens: left, at: nowMs });
    return tokens < 1 ? Math.ceil((1 - tokens) / shape.perSecond) : undefined;
  }

  /** Whether there is no whole token now. */
  empty(name: string, shape: BucketShape, nowMs: number): boolean {
    return this.#tokens(name, shape, nowMs) < 1;
  }

  #tokens(name: string, { burst, perSecond }: BucketShape, nowMs: number): number {
    const known = this.#buckets.get(name);
    if (!known) return burst;
    return Math.min(burst, known.tokens + (Math.max(0, nowMs - known.at) / 1000) * perSecond);
  }
}
