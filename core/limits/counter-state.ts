/**
 * The counters of one tenant, or of one shard of a tenant, as a value [limit.rate] [limit.budget]. What is reserved is
 * never stored as a sum but read off the open reservations, so it cannot leak.
 */
import type { ReservedCall } from './ports.ts';
import type { Bucket } from './window.ts';

export interface CounterState {
  /** Oldest first. */
  readonly window: readonly Bucket[];
  /** Settled micro-dollars by account key. */
  readonly spend: Readonly<Record<string, number>>;
  /** What this tenant holds of global budgets, by account key. */
  readonly slices: Readonly<Record<string, Slice>>;
  readonly open: readonly Reservation[];
  /** Requests that processes hold in memory, to be spent until their lease ends. */
  readonly leases: readonly RateLease[];
  /** How often the tenant's counters were split to come to this shard: its limits are so many times halved. */
  readonly depth: number;
  /** The shard was merged into its parent, and nothing counts here. */
  readonly gone: boolean;
}

/** Requests and tokens that one process may spend without asking the store; they count until they are returned. */
export interface RateLease {
  readonly id: string;
  /** The last second in which the holder may spend: in the window they count as spent then. */
  readonly second: number;
  readonly requests: number;
  readonly tokens: number;
}

/** A part of a global budget that was handed to this tenant: no other tenant may spend it. */
export interface Slice {
  readonly granted_microusd: number;
  /** What all tenants together held when this slice last grew. */
  readonly total_microusd: number;
  /** Second of its last use. */
  readonly used_at: number;
}

export interface Reservation {
  readonly id: string;
  readonly session_id: string;
  readonly from_index: number;
  /** The bucket that was charged. */
  readonly second: number;
  readonly tokens: number;
  readonly cost_microusd: number;
  /** Account keys, each reserved the whole cost. */
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

/** Open reservations of one shard: the item they stand in is limited to 400 kB. */
export const maxOpen = 1000;

/** Slices that would have to grow: how much of each must be held, by account key. */
export type WantedSlices = Map<
  string,
  {
    readonly limit_microusd: number;
    readonly level: number;
    /** A call that costs something asks; others need a foothold only. */
    readonly spends: boolean;
  }
>;

/** Settled and reserved micro-dollars under an account key. */
export const usedOf = (state: CounterState, key: string): number =>
  state.open.reduce(
    (sum, { accounts, cost_microusd }) => (accounts.includes(key) ? sum + cost_microusd : sum),
    state.spend[key] ?? 0,
  );

/** Of what counts against an account, the part that running calls hold. */
export const reservedOf = (state: CounterState, key: string): number =>
  state.open.reduce((sum, { accounts, cost_microusd }) => (accounts.includes(key) ? sum + cost_microusd : sum), 0);

/** A transition: the state after it, the same object if nothing changed, and what it came to. */
export interface Step<T> {
  readonly state: CounterState;
  readonly outcome: T;
  /** What goes back to global budgets (negative) or is booked there, by account key. */
  readonly moves?: ReadonlyMap<string, number>;
}
