/**
 * Applies several transitions of one tenant in a single write. They are applied in order, and each has its own outcome.
 */
import type { CounterState, CounterTransition, WantedSlices } from './counter-state.ts';
import { growSlices, type Move, withoutUnused } from './slices.ts';

export type Transition<T> = (state: CounterState, nowMs: number, wanted?: WantedSlices) => CounterTransition<T>;

interface Batch {
  readonly state: CounterState;
  /** Outcomes, one per transition. */
  readonly outcomes: readonly unknown[];
  /** True if there is nothing to write. */
  readonly unchanged: boolean;
  /** Amounts moved between the tenant's item and global items in the same transaction, by account key. */
  readonly moves: ReadonlyMap<string, Move>;
  /** Global accounts whose totals must be read first. If there are any, the rest of the batch result is void. */
  readonly lacking: readonly string[];
}

/**
 * Applies the transitions in order, and grows slices of global budgets if necessary.
 * @param totals amount of each global budget that all tenants together have reserved, if it has already been read.
 */
export function applyAll(
  before: CounterState,
  transitions: readonly Transition<unknown>[],
  nowMs: number,
  totals: ReadonlyMap<string, number> = new Map(),
): Batch {
  const wanted: WantedSlices = new Map();
  const eager = applyInOrder(before, transitions, nowMs, wanted);
  const lacking = [...wanted.keys()].filter((key) => !totals.has(key));
  if (wanted.size === 0 || lacking.length > 0)
    return { ...eager, unchanged: eager.state === before, moves: sumMoves(eager.moved), lacking };
  const more = growSlices(before, wanted, totals, nowMs);
  const exact = applyInOrder(more.state, transitions, nowMs);
  if (exact.state === more.state)
    return { state: before, outcomes: exact.outcomes, unchanged: true, moves: new Map(), lacking };
  const kept = withoutUnused(exact.state, before, more.state, more.moves);
  return {
    state: kept.state,
    outcomes: exact.outcomes,
    unchanged: false,
    moves: sumMoves(exact.moved, kept.moves),
    lacking,
  };
}

function applyInOrder(
  before: CounterState,
  transitions: readonly Transition<unknown>[],
  nowMs: number,
  wanted?: WantedSlices,
): { readonly state: CounterState; readonly outcomes: unknown[]; readonly moved: ReadonlyMap<string, number>[] } {
  let state = before;
  const outcomes: unknown[] = [];
  const moved: ReadonlyMap<string, number>[] = [];
  for (const transition of transitions) {
    const step = transition(state, nowMs, wanted);
    state = step.state;
    outcomes.push(step.outcome);
    if (step.moves) moved.push(step.moves);
  }
  return { state, outcomes, moved };
}

/** Adds up the moves for each account, because a transaction may write an item only once. */
function sumMoves(
  moved: readonly ReadonlyMap<string, number>[],
  grants: ReadonlyMap<string, Move> = new Map(),
): ReadonlyMap<string, Move> {
  const moves = new Map(grants);
  for (const [key, microusd] of moved.flatMap((each) => [...each])) {
    const before = moves.get(key);
    moves.set(key, { ...before, microusd: (before?.microusd ?? 0) + microusd });
  }
  return moves;
}
