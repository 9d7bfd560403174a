/**
 * Slices of global budgets. A request does not touch a global item as long as its tenant's slice is sufficient. The
 * granted total never exceeds the limit. Only cost above a reservation can exceed it, and that cost is booked later.
 */
import { type CounterState, type CounterTransition, type Slice, usedOf, type WantedSlices } from './counter-state.ts';

/** Number of seconds after which an unused slice is returned. */
const idleSeconds = 60;

/** An amount moved between a global item and a tenant's item; positive if it moves to the tenant. */
export interface Move {
  readonly microusd: number;
  /** Maximum of the global item after the move. Undefined if the move must be made in any case. */
  readonly limit_microusd?: number;
}

export type Moves = ReadonlyMap<string, Move>;

/**
 * Grows slices as far as the global budgets allow.
 * @param totals current totals across all tenants. A new account has no total.
 */
export function growSlices(
  state: CounterState,
  wanted: WantedSlices,
  totals: ReadonlyMap<string, number>,
  nowMs: number,
): { readonly state: CounterState; readonly moves: Moves } {
  const slices = { ...state.slices };
  const moves = new Map<string, Move>();
  for (const [key, { level, limit_microusd, spends }] of wanted) {
    const held = slices[key] ?? { granted_microusd: 0, total_microusd: 0, used_at: Math.floor(nowMs / 1000) };
    const total = totals.get(key) ?? 0;
    const remaining = Math.max(0, limit_microusd - total);
    const lacking = level - held.granted_microusd;
    const microusd = Math.min(remaining, spends ? Math.max(lacking, Math.floor(remaining / 16)) : lacking);
    slices[key] = {
      ...held,
      granted_microusd: held.granted_microusd + microusd,
      total_microusd: total + microusd,
    };
    if (microusd > 0) moves.set(key, { microusd, limit_microusd });
  }
  return { state: { ...state, slices }, moves };
}

/** Reverts growth that no call used, so that the amount becomes available elsewhere. */
export function withoutUnused(
  state: CounterState,
  before: CounterState,
  grownState: CounterState,
  moves: Moves,
): { readonly state: CounterState; readonly moves: Moves } {
  const slices: Record<string, Slice> = { ...state.slices };
  const used = new Map(moves);
  for (const [key, slice] of Object.entries(grownState.slices)) {
    if (slices[key] !== slice || before.slices[key] === slice) continue;
    used.delete(key);
    const held = before.slices[key];
    if (held) slices[key] = held;
    else delete slices[key];
  }
  return { state: { ...state, slices }, moves: used };
}

/**
 * Returns idle slices, and books spend beyond a slice so that other tenants can see it. The outcome is the returned
 * amount.
 */
export function applyReclaim(state: CounterState, nowMs: number): CounterTransition<number> {
  const moves = new Map<string, number>();
  const slices = { ...state.slices };
  for (const [key, slice] of Object.entries(state.slices)) {
    const difference = usedOf(state, key) - slice.granted_microusd;
    const idle = nowMs >= (slice.used_at + idleSeconds) * 1000;
    if (difference === 0 || (difference < 0 && !idle)) continue;
    moves.set(key, difference);
    slices[key] = {
      ...slice,
      granted_microusd: slice.granted_microusd + difference,
      total_microusd: Math.max(0, slice.total_microusd + difference),
    };
  }
  if (moves.size === 0) return { state, outcome: 0 };
  const outcome = [...moves.values()].reduce((sum, moved) => sum + Math.max(0, -moved), 0);
  return { state: { ...state, slices }, outcome, moves };
}
