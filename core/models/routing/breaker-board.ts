/** The states of breakers that all environments of a deployment read and change [chat.breaker-shared]. */
import type { ProviderEntry } from '#core/contracts/config.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** The breaker of one provider, as all environments know it. */
export interface SharedBreaker {
  readonly kind: 'closed' | 'open' | 'half-open';
  /** Digest of the provider's entry: the state of another entry of that name says nothing. */
  readonly of: string;
  /** Counts changes: a change is made to the state that was seen, or not at all. */
  readonly epoch: number;
  /** Milliseconds since the Unix epoch. Open: a probe may begin. Half-open: the probe is given up. Closed: 0. */
  readonly until_ms: number;
}

/** Calls that ended, and how many of them were faults of the provider. */
export interface Tally {
  readonly calls: number;
  readonly faults: number;
}

export interface BreakerBoard {
  /** As read last, or changed since; undefined: it never changed. Takes no round trip. */
  seen(provider: string): SharedBreaker | undefined;
  /**
   * Replaces the state that was seen. False: another environment was first, and its state is seen from now on.
   * @throws GatewayError `service_unavailable`.
   */
  change(provider: string, from: SharedBreaker | undefined, to: SharedBreaker): Promise<boolean>;
  /**
   * Adds to what all environments counted in that window, and returns the sum.
   * @throws GatewayError `service_unavailable`.
   */
  add(provider: string, window: string, tally: Tally): Promise<Tally>;
}

/** Of an entry: 16 hex digits. */
export const entryDigest = remembered((entry: ProviderEntry): string => digestOf(entry).slice(0, 16));

/** The state that concerns exactly this entry. */
export function stateOf(board: Pick<BreakerBoard, 'seen'>, entry: ProviderEntry): SharedBreaker | undefined {
  const state = board.seen(entry.name);
  return state?.of === entryDigest(entry) ? state : undefined;
}

/** Of each provider of a configuration, for those who look. A breaker that never changed is closed. */
export const sharedStates = (
  board: Pick<BreakerBoard, 'seen'>,
  entries: readonly ProviderEntry[],
): Readonly<Record<string, SharedBreaker['kind']>> =>
  Object.fromEntries(entries.map((entry) => [entry.name, stateOf(board, entry)?.kind ?? 'closed']));
