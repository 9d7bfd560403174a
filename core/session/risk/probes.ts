/**
 * Counts denied dry runs and simulations per key in this process. They leave no entry, and only entries feed the score,
 * so they are reported with the key's next call that leaves one (decision 0045).
 */
import { RecentMap } from '#core/kernel/recent-map.ts';

interface Count {
  readonly since: number;
  readonly count: number;
}

/** Limit per call, as for any other signal. */
const maxReported = 2;

export class Probes {
  readonly #counts = new RecentMap<string, Count>({ max: 10_000 });

  /** Counts a probe. @param windowMs after which the counted probes are forgotten together. */
  note(tenant: string, keyId: string, nowMs: number, windowMs: number): void {
    const before = this.#of(tenant, keyId, nowMs, windowMs);
    this.#counts.set(nameOf(tenant, keyId), { since: before?.since ?? nowMs, count: (before?.count ?? 0) + 1 });
  }

  /** Returns the number of full batches of `many` probes since the last report, and marks them as reported. */
  take(tenant: string, keyId: string, many: number, nowMs: number, windowMs: number): number {
    const before = this.#of(tenant, keyId, nowMs, windowMs);
    if (!before || before.count < many) return 0;
    this.#counts.set(nameOf(tenant, keyId), { since: nowMs, count: before.count % many });
    return Math.min(maxReported, Math.floor(before.count / many));
  }

  #of(tenant: string, keyId: string, nowMs: number, windowMs: number): Count | undefined {
    const known = this.#counts.get(nameOf(tenant, keyId));
    return known && nowMs - known.since <= windowMs ? known : undefined;
  }
}

const nameOf = (tenant: string, keyId: string): string => `${tenant} ${keyId}`;
