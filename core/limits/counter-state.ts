/**
 * Counters of one tenant or of one of its shards, as a value [limit.rate] [limit.budget]. Reserved amounts are computed
 * from the open reservations rather than stored as a sum, so they cannot leak.
 */
import type { OpenReservation } from './ports.ts';
import type { Bucket } from './window.ts';

export interface CounterState {
  /** Oldest first. */
  readonly window: readonly Bucket[];
  /** Settled micro-dollars by account key. */
  readonly spend: Readonly<Record<string, number>>;
  /** The tenant's slices of global budgets, by account key. */
  readonly slices: Readonly<Record<string, Slice>>;
  readonly open: readonly Reservation[];
  /** Number of splits that led to this shard. Its limits are halved once per split. */
  readonly depth: number;
  /** True if the shard was merged into its parent and no longer counts calls. */
  readonly gone: boolean;
}

/** The part of a global budget that is granted to this tenant. Other tenants cannot spend it. */
export interface Slice {
  readonly granted_microusd: number;
  /** Total for all tenants when this slice last grew. */
  readonly total_microusd: number;
  /** Second in which the slice was last used. */
  readonly used_at: number;
}

export interface Reservation extends Omit<OpenReservation, 'tenant' | 'lasted_ms' | 'lease_expires_at'> {
  /** The second whose bucket was charged. */
  readonly second: number;
  /** Account keys. The whole cost is reserved in each of these accounts. */
  readonly accounts: readonly string[];
  readonly lease_ends_ms: number;
}

export const emptyState: CounterState = {
  window: [],
  spend: {},
  slices: {},
  open: [],
  depth: 0,
  gone: false,
};

/** Maximum number of open reservations per shard, because a DynamoDB item is limited to 400 kB. */
export const maxOpen = 1000;

/** Slices that have to grow, with the amount that each must contain, by account key. */
export type WantedSlices = Map<
  string,
  {
    readonly limit_microusd: number;
    readonly level: number;
    /** True for a call that has a cost. Other calls need only a minimal slice. */
    readonly spends: boolean;
  }
>;

/** Returns an account's settled and reserved micro-dollars. */
export const usedOf = (state: CounterState, key: string): number => (state.spend[key] ?? 0) + reservedOf(state, key);

/** Returns the micro-dollars that running calls have reserved in an account. */
export const reservedOf = ({ open }: CounterState, key: string): number =>
  open.reduce((sum, { accounts, cost_microusd }) => (accounts.includes(key) ? sum + cost_microusd : sum), 0);

/** Result of a transition: its outcome and the resulting state, which is the same object if nothing changed. */
export interface CounterTransition<T> {
  readonly state: CounterState;
  readonly outcome: T;
  /** Amounts returned to global budgets (negative) or booked in them, by account key. */
  readonly moves?: ReadonlyMap<string, number>;
}
