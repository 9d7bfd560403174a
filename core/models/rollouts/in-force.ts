/** The rollouts in force as each process knows them: at most five seconds old, and no store step of a call. */
import type { Rollout } from '#core/contracts/rollout.ts';
import type { Clock } from '#core/kernel/ports.ts';
import type { Rollouts } from './ports.ts';

/** As policy versions: a move is noticed everywhere within this. */
const freshMs = 5_000;

export interface RolloutsInForce {
  (): Promise<readonly Rollout[]>;
  /** The next call asks the store: this process has moved a rollout [rollout.at-once]. */
  forget(): void;
}

/**
 * What is known for less than five seconds is answered at once; up to ten seconds it is answered while the store is asked again; older
 * knowledge waits for the store. A store that does not answer leaves the last answer in force; without any, calls take their route as
 * configured.
 */
export function rolloutsInForce(store: Pick<Rollouts, 'inForce'>, clock: Clock): RolloutsInForce {
  let known: { readonly rollouts: readonly Rollout[]; readonly atMs: number } | undefined;
  let asked: Promise<readonly Rollout[]> | undefined;
  /** An answer that was asked for before a move does not count. */
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
