/** Breaker states shared by all environments of a deployment [chat.breaker]. */
import type { ProviderEntry } from '#core/contracts/config.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** Circuit breaker of one provider, shared by all environments. */
export interface SharedBreaker {
  readonly kind: 'closed' | 'open' | 'half-open';
  /** Digest of the provider's entry, because the state of a different entry with the same name does not apply. */
  readonly of: string;
  /** Number of changes. A change applies only to the state that was read. */
  readonly epoch: number;
  /**
   * Milliseconds since the Unix epoch. Open: when a probe may begin. Half-open: when the probe is given up. Closed: 0.
   */
  readonly until_ms: number;
}

/** Completed calls, and the number of provider faults among them. */
export interface Tally {
  readonly calls: number;
  readonly faults: number;
}

export interface BreakerBoard {
  /** Returns the state as last read or changed, or undefined if it has never changed. Does no I/O. */
  seen(provider: string): SharedBreaker | undefined;
  /**
   * Replaces the state that was read. Returns false if another environment changed it first; later reads then return
   * that environment's state.
   * @throws GatewayError `service_unavailable`.
   */
  change(provider: string, from: SharedBreaker | undefined, to: SharedBreaker): Promise<boolean>;
  /**
   * Adds to the counts of all environments in that window, and returns the total.
   * @throws GatewayError `service_unavailable`.
   */
  add(provider: string, window: string, tally: Tally): Promise<Tally>;
}

/** Returns the digest of an entry: 16 hex digits. */
export const entryDigest = remembered((entry: ProviderEntry): string => digestOf(entry).slice(0, 16));

/** Returns the state if it belongs to exactly this entry. */
export function stateOf(board: Pick<BreakerBoard, 'seen'>, entry: ProviderEntry): SharedBreaker | undefined {
  const state = board.seen(entry.name);
  return state?.of === entryDigest(entry) ? state : undefined;
}

/** Returns the state of each configured provider, for display. A breaker that has never changed is closed. */
export const sharedStates = (
  board: Pick<BreakerBoard, 'seen'>,
  entries: readonly ProviderEntry[],
): Readonly<Record<string, SharedBreaker['kind']>> =>
  Object.fromEntries(entries.map((entry) => [entry.name, stateOf(board, entry)?.kind ?? 'closed']));
