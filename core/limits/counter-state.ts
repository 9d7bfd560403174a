/**
 * The counters of one tenant, or of one shard of a tenant, as a value [limit.rate] [limit.budget]. Reserved amounts are
 * not stored as a sum but computed from the open reservations, so they cannot leak.
 */
import type { ReservedCall } from './ports.ts';
import type { Bucket } from './window.ts';

export interface CounterState {
  /** Oldest first. */
  readonly window: readonly Bucket[];
  /** Settled micro-dollars by account key. */
  readonly spend: Readonly<Record<string, number>>;
  /** The tenant's slices of global budgets, by account key. */
  readonly slices: Readonly<Record<string, Slice>>;
  readonly open: readonly Reservation[];
  /** Leases of requests that processes hold in memory until they end. */
  readonly leases: readonly RateLease[];
  /** Number of splits that led to this shard: its limits are halved that often. */
  readonly depth: number;
  /** True if the shard was merged into its parent and counts no calls. */
  readonly gone: boolean;
}

/** Requests and tokens that one process may spend without further store writes. They count until they are returned. */
export interface RateLease {
  readonly id: string;
  /** The last second in which the holder may spend. The window counts them in this second. */
  readonly second: number;
  readonly requests: number;
  readonly tokens: number;
}

/** A part of a global budget that is granted to this tenant. Other tenants cannot spend it. */
export interface Slice {
  readonly granted_microusd: number;
  /** Total of all tenants when this slice last grew. */
  readonly total_microusd: number;
  /** Second of its last use. */
  readonly used_at: number;
}

export interface Reservation {
  readonly id: string;
  readonly session_id: string;
  readonly from_index: number;
  /** Second of the bucket that was charged. */
  readonly second: number;
  readonly tokens: number;
  readonly cost_microusd: number;
  /** Account keys. The whole cost is reserved in each. */
  readonly accounts: readonly string[];
  readonly begun: boolean;
  readonly lease_ends_ms: number;
  readonly call?: ReservedCall;
}

export const emptyState: CounterState = {
  window: [],
  spend: {},
  slices: {},
  open: [],
  leases: [],
  depth: 0,
  gone: false,
};

/** Maximum number of open reservations per shard: a DynamoDB item is limited to 400 kB. */
export const maxOpen = 1000;

/** Slices that have to grow, with the amount each must hold, by account key. */
export type WantedSlices = Map<
  string,
  {
    readonly limit_microusd: number;
    readonly level: number;
    /** True for a call with a cost. Other calls need only a minimal slice. */
    readonly spends: boolean;
  }
>;

/** Returns the settled and reserved micro-dollars of an account. */
export const usedOf = (state: CounterState, key: string): number =>
  state.open.reduce(
    (sum, { accounts, cost_microusd }) => (accounts.includes(key) ? sum + cost_microusd : sum),
    state.spend[key] ?? 0,
  );

/** Returns the micro-dollars of an account that running calls have reserved. */
export const reservedOf = (state: CounterState, key: string): number =>
  state.open.reduce((sum, { accounts, cost_microusd }) => (accounts.includes(key) ? sum + cost_microusd : sum), 0);

/** Result of a transition: its outcome and the state after it, the same object if nothing changed. */
export interface Step<T> {
  readonly state: CounterState;
  readonly outcome: T;
  /** Amounts returned to global budgets (negative) or booked there, by account key. */
  readonly moves?: ReadonlyMap<string, number>;
}
