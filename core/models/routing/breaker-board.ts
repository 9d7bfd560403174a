/** States of breakers that all environments of a deployment share [chat.breaker]. */
import type { ProviderEntry } from '#core/contracts/config.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** Breaker of one provider, as shared by all environments. */
export interface SharedBreaker {
  readonly kind: 'closed' | 'open' | 'half-open';
  /** Digest of the provider's entry: the state of another entry with that name does not apply. */
  readonly of: string;
  /** Number of changes: a change applies only to the state that was read. */
  readonly epoch: number;
  /** Milliseconds since the Unix epoch. Open: a probe may begin. Half-open: the probe is given up. Closed: 0. */
  readonly until_ms: number;
}

/** Ended calls, and the number of provider faults among them. */
export interface Tally {
  readonly calls: number;
  readonly faults: number;
}

export interface BreakerBoard {
  /** Returns the state as last read or changed; undefined if it never changed. Does no I/O. */
  seen(provider: string): SharedBreaker | undefined;
  /**
   * Replaces the state that was read. Returns false if another environment was first; its state is returned from now
   * on.
   * @throws GatewayError `service_unavailable`.
   */
  change(provider: string, from: SharedBreaker | undefined, to: SharedBreaker): Promise<boolean>;
  /**
   * Adds to the counts of all environments in that window, and returns the sum.
   * @throws GatewayError `service_unavailable`.
   */
  add(provider: string, window: string, tally: Tally): Promise<Tally>;
}

/** Returns the digest of an entry: 16 hex digits. */
export const entryDigest = remembered((entry: ProviderEntry): string => digestOf(entry).slice(0, 16));

/** Returns the state that belongs to exactly this entry. */
export function stateOf(board: Pick<BreakerBoard, 'seen'>, entry: ProviderEntry): SharedBreaker | undefined {
  const state = board.seen(entry.name);
  return state?.of === entryDigest(entry) ? state : undefined;
}

/** Returns the state of each configured provider, for display. A breaker that never changed is closed. */
export const sharedStates = (
  board: Pick<BreakerBoard, 'seen'>,
  entries: readonly ProviderEntry[],
): Readonly<Record<string, SharedBreaker['kind']>> =>
  Object.fromEntries(entries.map((entry) => [entry.name, stateOf(board, entry)?.kind ?? 'closed']));
