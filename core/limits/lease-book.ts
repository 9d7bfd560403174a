/** The leases that one process holds [limit.shards], with their remaining amounts and the size of the next lease. */
import { maxLeased, mayLease, type ReturnedLease, rateLeaseSeconds } from './leases.ts';
import type { LimitStatus, Limits, ReserveOutcome, ReserveRequest, Settlement } from './ports.ts';

export interface HeldLease {
  readonly id: string;
  readonly shard: number;
  readonly limits: Limits;
  /** The last second in which the lease may be spent. */
  readonly second: number;
  readonly status: LimitStatus;
  requestsLeft: number;
  tokensLeft: number;
  requestsUsed: number;
  tokensUsed: number;
}

/**
 * Divisor applied to a tenant's limit to get the maximum lease, so that amounts unused in one process do not starve the
 * others.
 */
const partOfLimit = 200;
/** Minimum number of calls in a lease. */
const leastLeased = 3;

export class LeaseBook {
  readonly #held = new Map<string, HeldLease>();
  readonly #own = new Map<string, { readonly shard: number; readonly second: number; readonly requests: number }>();
  readonly #taking = new Set<string>();
  /** Times of a tenant's latest calls, oldest first. */
  readonly #pace = new Map<string, number[]>();

  /** Records an incoming call. */
  note({ tenant }: ReserveRequest, nowMs: number): void {
    const recent = (this.#pace.get(tenant) ?? []).filter((at) => at > nowMs - rateLeaseSeconds * 1000);
    this.#pace.set(tenant, [...recent, nowMs].slice(-maxLeased));
  }

  /** Records a call made by this process that was counted at a shard. */
  counted(tenant: string, shard: number, nowMs: number): void {
    const requests = this.own(tenant, shard, nowMs) + 1;
    this.#own.set(tenant, { shard, second: Math.floor(nowMs / 1000), requests });
  }

  /** Returns the number of this process's calls that were counted at a shard within this second. */
  own(tenant: string, shard: number, nowMs: number): number {
    const own = this.#own.get(tenant);
    return own?.shard === shard && own.second === Math.floor(nowMs / 1000) ? own.requests : 0;
  }

  /**
   * Returns the number of requests for a new lease, based on the recent pace. Returns 0 if a lease is not worthwhile,
   * or if another call in this process is already taking one.
   * @param depth depth of the tenant's shards; with a single item (0), every call is counted individually.
   */
  sizeFor(request: ReserveRequest, depth: number): number {
    const recent = this.#pace.get(request.tenant)?.length ?? 0;
    if (depth === 0 || this.#taking.has(request.tenant) || !mayLease(request)) return 0;
    const { requests_per_minute = Infinity, tokens_per_minute = Infinity } = request.limits;
    const tokens = Math.floor(tokens_per_minute / (partOfLimit * Math.max(1, request.tokens)));
    const size = Math.min(maxLeased, recent, Math.floor(requests_per_minute / partOfLimit), tokens);
    return size < leastLeased ? 0 : size;
  }

  /** Runs the work. While it runs, no other call of the tenant takes a lease. */
  async taking<T>(tenant: string, work: () => Promise<T>): Promise<T> {
    this.#taking.add(tenant);
    try {
      return await work();
    } finally {
      this.#taking.delete(tenant);
    }
  }

  /** Spends from the current lease. Returns undefined if the lease does not have enough left. */
  spend({ tenant, tokens, limits }: ReserveRequest, nowMs: number): HeldLease | undefined {
    const lease = this.#held.get(tenant);
    if (!lease || !sameRates(lease.limits, limits) || Math.floor(nowMs / 1000) >= lease.second) return undefined;
    if (lease.requestsLeft < 1 || lease.tokensLeft < tokens) return undefined;
    lease.requestsLeft--;
    lease.tokensLeft -= tokens;
    lease.requestsUsed++;
    lease.tokensUsed += tokens;
    return lease;
  }

  /** Removes the lease at this shard so that it can be returned with the next step there. */
  takeBack(tenant: string, shard: number): HeldLease | undefined {
    const lease = this.#held.get(tenant);
    if (lease?.shard !== shard) return undefined;
    this.#held.delete(tenant);
    return lease;
  }

  /** Stores a new lease. If the previous lease was at another shard, its remainder is not returned. */
  hold(tenant: string, lease: HeldLease): void {
    this.#held.set(tenant, lease);
  }

  /** Restores a lease that could not be returned. */
  keep(tenant: string, lease: HeldLease): void {
    if (!this.#held.has(tenant)) this.#held.set(tenant, lease);
  }

  /** Settles a call and makes its unused part available again. */
  settle(lease: HeldLease, reservedTokens: number, { tokens, counted }: Settlement): void {
    lease.tokensLeft += reservedTokens - tokens;
    lease.tokensUsed += tokens - reservedTokens;
    if (counted) return;
    lease.requestsLeft++;
    lease.requestsUsed--;
  }
}

/** Returns the outcome of a leased call. The whole lease counts as used in it. */
export const leasedOutcome = ({ status }: HeldLease): ReserveOutcome => ({ ok: true, limits: status, budgets: [] });

export const returnOf = ({ id, requestsUsed, tokensUsed }: HeldLease): ReturnedLease => ({
  id,
  requests: requestsUsed,
  tokens: tokensUsed,
});

/**
 * Compares the rates of two limits. Limits from one configuration are the same object, and MCP calls have only rates.
 */
export const sameRates = (one: Limits, other: Limits): boolean =>
  one === other ||
  (one.budgets.length === 0 &&
    other.budgets.length === 0 &&
    one.requests_per_minute === other.requests_per_minute &&
    one.tokens_per_minute === other.tokens_per_minute);
