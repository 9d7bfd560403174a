/**
 * Counts each key's denied dry runs and simulations in this process. These do not create an entry, and only entries
 * affect the score. They are therefore reported with the key's next call that creates an entry (decision 0045).
 */
import { RecentMap } from '#core/kernel/recent-map.ts';

interface Count {
  readonly since: number;
  readonly count: number;
}

/** Maximum number of batches reported per call, the same limit as for any other signal. */
const maxReported = 2;

export class Probes {
  readonly #counts = new RecentMap<string, Count>({ max: 10_000 });

  /** Counts a probe. @param windowMs time after which all counted probes are discarded together. */
  note(tenant: string, keyId: string, nowMs: number, windowMs: number): void {
    const before = this.#of(tenant, keyId, nowMs, windowMs);
    this.#counts.set(probeKey(tenant, keyId), { since: before?.since ?? nowMs, count: (before?.count ?? 0) + 1 });
  }

  /** Returns the number of full batches of `many` probes since the last report, and marks the probes as reported. */
  take(tenant: string, keyId: string, many: number, nowMs: number, windowMs: number): number {
    const before = this.#of(tenant, keyId, nowMs, windowMs);
    if (!before || before.count < many) return 0;
    this.#counts.set(probeKey(tenant, keyId), { since: nowMs, count: before.count % many });
    return Math.min(maxReported, Math.floor(before.count / many));
  }

  #of(tenant: string, keyId: string, nowMs: number, windowMs: number): Count | undefined {
    const known = this.#counts.get(probeKey(tenant, keyId));
    return known && nowMs - known.since <= windowMs ? known : undefined;
  }
}

const probeKey = (tenant: string, keyId: string): string => `${tenant} ${keyId}`;
