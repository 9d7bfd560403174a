/**
 * Dry runs and simulations that were not allowed, counted for each key in this process. They leave no entry, so they are reported
 * with the key's next call that does (decision 0045): nothing but entries feeds the score.
 */
import { RecentMap } from '#core/kernel/recent-map.ts';

interface Count {
  readonly since: number;
  readonly count: number;
}

/** What one call tells is bounded like any other signal. */
const maxReported = 2;

export class Probes {
  readonly #counts = new RecentMap<string, Count>({ max: 10_000 });

  /** @param windowMs probes older than this are forgotten together. */
  note(tenant: string, keyId: string, nowMs: number, windowMs: number): void {
    const before = this.#of(tenant, keyId, nowMs, windowMs);
    this.#counts.set(nameOf(tenant, keyId), { since: before?.since ?? nowMs, count: (before?.count ?? 0) + 1 });
  }

  /** How often `many` probes were made since they were last reported; they count as reported from now on. */
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
