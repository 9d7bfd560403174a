/**
 * Limits the pending requests per key and per tenant [approval.pending-cap]. The store is queried at most every two
 * seconds, and requests made by this process in between are added to the count, so a burst cannot exceed the limit.
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { GatewayError } from '../kernel/errors.ts';

export interface PendingCounter {
  /** Returns the key ids of the tenant's pending requests, one per request, up to `most`. */
  pendingKeys(tenant: string, most: number): Promise<readonly string[]>;
}

export interface PendingCaps {
  readonly max_pending_per_key: number;
  readonly max_pending_per_tenant: number;
}

/**
 * Milliseconds for which a count is used. A count at the limit is refreshed sooner, since people keep making decisions.
 */
const freshMs = 2_000;
const fullFreshMs = 250;

interface PendingCounts {
  at: number;
  byKey: Map<string, number>;
  total: number;
}

export class PendingLimit {
  readonly #counter: PendingCounter;
  readonly #counts = new RecentMap<string, PendingCounts>({ max: 1_000 });
  /** Counts that are being read, with the requests made in the meantime. */
  readonly #looking = new Map<string, { readonly done: Promise<void>; readonly since: string[] }>();

  constructor(counter: PendingCounter) {
    this.#counter = counter;
  }

  /**
   * Reserves a place for a request from the key.
   * @throws GatewayError `rate_limit_error` if the limit is reached.
   */
  async take(tenant: string, keyId: string, caps: PendingCaps, nowMs: number): Promise<void> {
    const before = this.#counts.get(tenant);
    if (!before || nowMs - before.at > freshMs) await this.#look(tenant, caps, nowMs);
    else if (pendingRefusal(before, keyId, caps) && nowMs - before.at > fullFreshMs)
      await this.#look(tenant, caps, nowMs);
    const counts = this.#counts.get(tenant)!;
    const full = pendingRefusal(counts, keyId, caps);
    if (full) throw full;
    add(counts, keyId);
    this.#looking.get(tenant)?.since.push(keyId);
  }

  async #look(tenant: string, caps: PendingCaps, nowMs: number): Promise<void> {
    const underWay = this.#looking.get(tenant);
    if (underWay) return underWay.done;
    const since: string[] = [];
    const look = async () => {
      const keys = await this.#counter.pendingKeys(tenant, caps.max_pending_per_tenant);
      const counts: PendingCounts = { at: nowMs, byKey: new Map(), total: 0 };
      for (const key of [...keys, ...since]) add(counts, key);
      this.#counts.set(tenant, counts);
    };
    const done = look().finally(() => this.#looking.delete(tenant));
    this.#looking.set(tenant, { done, since });
    return done;
  }
}

function add(counts: PendingCounts, keyId: string): void {
  counts.byKey.set(keyId, (counts.byKey.get(keyId) ?? 0) + 1);
  counts.total++;
}

function pendingRefusal({ byKey, total }: PendingCounts, keyId: string, caps: PendingCaps): GatewayError | undefined {
  const own = byKey.get(keyId) ?? 0;
  if (own >= caps.max_pending_per_key)
    return tooMany(`${own} requests from this key`, `approvals.max_pending_per_key is ${caps.max_pending_per_key}`);
  if (total >= caps.max_pending_per_tenant)
    return tooMany(
      `${total} requests from this tenant`,
      `approvals.max_pending_per_tenant is ${caps.max_pending_per_tenant}`,
    );
  return undefined;
}

const tooMany = (found: string, allowed: string) =>
  new GatewayError(
    'rate_limit_error',
    `${found} are waiting for a person, and ${allowed}. No reviewer was asked about this call; wait until some have been decided.`,
    { retryAfterSeconds: 30 },
  );
