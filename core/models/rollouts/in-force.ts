/** Active rollouts as known to each process: at most five seconds old, so calls do not read the store. */
import type { Rollout } from '#core/contracts/rollout.ts';
import type { Clock } from '#core/kernel/ports.ts';
import type { Rollouts } from './ports.ts';

/** Maximum age, as for policy versions: a move takes effect everywhere within this time. */
const freshMs = 5_000;

export interface RolloutsInForce {
  (): Promise<readonly Rollout[]>;
  /** Makes the next call re-read the store, because this process has moved a rollout [rollout.states]. */
  forget(): void;
}

/**
 * Caches the active rollouts. Results up to five seconds old are returned immediately; up to ten seconds, they are
 * returned while the store is re-read; after that, calls wait for the store. If the store fails, the last result
 * remains active; if there is none, calls take their configured route.
 */
export function rolloutsInForce(store: Pick<Rollouts, 'inForce'>, clock: Clock): RolloutsInForce {
  let known: { readonly rollouts: readonly Rollout[]; readonly atMs: number } | undefined;
  let asked: Promise<readonly Rollout[]> | undefined;
  /** Number of moves so far. A result requested before a move is discarded. */
  let moves = 0;

  const ask = (): Promise<readonly Rollout[]> => {
    const atMs = clock.now();
    const asOf = moves;
    const keep = (rollouts: readonly Rollout[]) => {
      if (asOf === moves) known = { rollouts, atMs };
      return rollouts;
    };
    if (asked) return asked;
    const own = store
      .inForce()
      .catch(() => known?.rollouts ?? [])
      .then(keep)
      .finally(() => {
        if (asked === own) asked = undefined;
      });
    asked = own;
    return own;
  };

  const inForce = async () => {
    const age = known ? clock.now() - known.atMs : Number.POSITIVE_INFINITY;
    if (known && age < freshMs) return known.rollouts;
    const coming = ask();
    return known && age < 2 * freshMs ? known.rollouts : coming;
  };
  const forget = () => {
    moves++;
    known &&= { ...known, atMs: Number.NEGATIVE_INFINITY };
    asked = undefined;
  };
  return Object.assign(inForce, { forget });
}
