/**
 * Circuit breaker as a state machine: closed until errors spike, then open for some time, then half-open with a single
 * probe that determines the next state. Pure functions: the time is a parameter, and late outcomes cannot change a
 * newer state.
 */
import type { ProviderEntry } from '#core/contracts/config.ts';

export type BreakerSettings = ProviderEntry['breaker'];

/** Calls counted in one slice of the window. */
interface Slice {
  readonly fromMs: number;
  readonly calls: number;
  readonly faults: number;
}

export type BreakerState = { /** Counts changes of state. */ readonly epoch: number } & (
  | { readonly kind: 'closed'; readonly slices: readonly Slice[] }
  | { readonly kind: 'open'; readonly untilMs: number }
  /** One probe is in progress. */
  | { readonly kind: 'half-open' }
);

/** Permission to make a call, to be settled with the outcome. */
export interface Permit {
  readonly epoch: number;
  readonly probe: boolean;
}

/** Outcome of a call. `nothing`: the caller disconnected, which is not evidence about the provider. */
export type CallOutcome = 'success' | 'fault' | 'nothing';

export const closedBreaker: BreakerState = { kind: 'closed', epoch: 0, slices: [] };

/** Number of slices per window. Counting by slice keeps the cost constant, regardless of the number of calls. */
const slicesPerWindow = 10;

/** Requests permission to make a call, which is refused while open or while a probe is in progress. */
export function admit(state: BreakerState, nowMs: number): { state: BreakerState; permit: Permit | undefined } {
  const { epoch } = state;
  if (state.kind === 'closed') return { state, permit: { epoch, probe: false } };
  if (state.kind === 'half-open' || nowMs < state.untilMs) return { state, permit: undefined };
  return { state: { kind: 'half-open', epoch: epoch + 1 }, permit: { epoch: epoch + 1, probe: true } };
}

/** Records the outcome of a permitted call. */
export function settle(
  state: BreakerState,
  permit: Permit,
  outcome: CallOutcome,
  nowMs: number,
  settings: BreakerSettings,
): BreakerState {
  if (permit.epoch !== state.epoch || state.kind === 'open') return state;
  if (state.kind === 'closed') return outcome === 'nothing' ? state : countOutcome(state, outcome, nowMs, settings);
  switch (outcome) {
    case 'success':
      return { kind: 'closed', epoch: state.epoch + 1, slices: [] };
    case 'fault':
      return openState(state, nowMs, settings);
    case 'nothing':
      // The next caller becomes the probe.
      return { kind: 'open', epoch: state.epoch + 1, untilMs: nowMs };
  }
}

function countOutcome(
  state: BreakerState & { readonly kind: 'closed' },
  outcome: 'success' | 'fault',
  nowMs: number,
  settings: BreakerSettings,
): BreakerState {
  const windowMs = settings.window_seconds * 1000;
  const sliceMs = windowMs / slicesPerWindow;
  const recent = state.slices.filter(({ fromMs }) => fromMs + windowMs > nowMs);
  const last = recent.at(-1);
  const fits = last !== undefined && nowMs < last.fromMs + sliceMs;
  const slice = fits ? last : { fromMs: nowMs, calls: 0, faults: 0 };
  const grown = { ...slice, calls: slice.calls + 1, faults: slice.faults + (outcome === 'fault' ? 1 : 0) };
  const slices = [...(fits ? recent.slice(0, -1) : recent), grown];
  const { calls, faults } = sumOf(slices);
  const trips = outcome === 'fault' && calls >= settings.min_requests && faults / calls >= settings.error_rate;
  return trips ? openState(state, nowMs, settings) : { ...state, slices };
}

const openState = ({ epoch }: BreakerState, nowMs: number, { open_seconds }: BreakerSettings): BreakerState => ({
  kind: 'open',
  epoch: epoch + 1,
  untilMs: nowMs + open_seconds * 1000,
});

function sumOf(slices: readonly Slice[]): { calls: number; faults: number } {
  let [calls, faults] = [0, 0];
  for (const slice of slices) {
    calls += slice.calls;
    faults += slice.faults;
  }
  return { calls, faults };
}
