import { applyAll } from '#core/limits/batch.ts';
import { type CounterState, emptyState, usedOf } from '#core/limits/counter-state.ts';
import type { ReserveOutcome, ReserveRequest } from '#core/limits/ports.ts';
import { applyReclaim } from '#core/limits/slices.ts';
import { applyReserve, applySettle } from '#core/limits/state.ts';
import { call, globalBudget, now, refusal, settled } from './sample.ts';

const key = 'global|month|2026-11';
const limits = { budgets: [globalBudget(1600)] };

/** Reserves in one batch, with the amount that the global item is assumed to have. */
function reserve(before: CounterState, requests: readonly ReserveRequest[], held?: number) {
  const batch = applyAll(
    before,
    requests.map((request) => (state, at, wanted) => applyReserve(state, request, at, wanted)),
    now,
    held === undefined ? new Map() : new Map([[key, held]]),
  );
  return { ...batch, outcomes: batch.outcomes as ReserveOutcome[] };
}

const calls = (...costs: number[]) => costs.map((cost_microusd) => call(limits, { cost_microusd }));

describe('a tenant’s slice of a global budget', () => {
  test('a larger slice is requested only if the totals are known and the slice is not sufficient', () => {
    expect(reserve(emptyState, calls(10)).lacking).toEqual([key]);
  });

  test('grows by a sixteenth of the remaining amount, so that the next calls do not need the store', () => {
    const first = reserve(emptyState, calls(10), 0);
    expect(first.moves).toEqual(new Map([[key, { microusd: 100, limit_microusd: 1600 }]]));
    const next = reserve(first.state, calls(10, 80));
    expect(next).toMatchObject({ lacking: [], moves: new Map(), outcomes: [{ ok: true }, { ok: true }] });
    expect(reserve(next.state, calls(1)).lacking).toEqual([key]);
  });

  test('grows by the amount a batch needs if that is larger, but never beyond the limit', () => {
    expect(reserve(emptyState, calls(300, 300), 0).moves.get(key)?.microusd).toBe(600);
    const tight = reserve(emptyState, calls(300, 300), 1200);
    expect(tight.moves.get(key)?.microusd).toBe(400);
    expect(tight.outcomes.map(({ ok }) => ok)).toEqual([true, false]);
    expect(refusal(tight.outcomes[1]!)).toMatchObject({ code: 'budget_exceeded', what: 'global' });
  });

  test('a call that does not fit does not affect the others', () => {
    const refused = reserve(emptyState, calls(300), 1500);
    expect(refused).toMatchObject({ unchanged: true, moves: new Map() });
    expect(refused.state).toBe(emptyState);
    expect(refusal(refused.outcomes[0]!).message).toContain('of 0.0016 USD per month does not cover this call');
    // Also if the same batch writes something else.
    const mixed = applyAll(
      reserve(emptyState, [call({ budgets: [] }, { id: 'other' })]).state,
      [
        (state, at) => applySettle(state, 'other', settled(), at),
        (state, at, wanted) => applyReserve(state, calls(300)[0]!, at, wanted),
      ],
      now,
      new Map([[key, 1500]]),
    );
    expect(mixed).toMatchObject({ unchanged: false, moves: new Map() });
    expect(mixed.state.slices).toEqual({});
  });

  test('if the limit is lowered below the granted amount, nothing more is granted', () => {
    const held = reserve(emptyState, calls(10), 0).state;
    const lower = { budgets: [globalBudget(90)] };
    const batch = reserve(held, [call(lower, { cost_microusd: 85 })], 100);
    expect(batch.outcomes[0]!.ok).toBe(false);
    expect(reserve(emptyState, [call(lower, { cost_microusd: 1 })], 100).outcomes[0]!.ok).toBe(false);
  });

  test('a free call still needs one micro-dollar of budget', () => {
    const free = reserve(emptyState, calls(0), 0);
    expect(free.moves.get(key)?.microusd).toBe(1);
    expect(reserve(emptyState, calls(0), 1600).outcomes[0]!.ok).toBe(false);
  });

  test('the used amount is that of all tenants, minus the unused part of this tenant’s slice', () => {
    const { outcomes } = reserve(emptyState, calls(10), 1420);
    expect(outcomes[0]).toMatchObject({ ok: true, budgets: [{ used_microusd: 1430, tier: 'alert' }] });
  });

  test('a settlement between two reservations in one batch does not starve the first', () => {
    const open = reserve(emptyState, calls(50), 0).state;
    const [one, two] = calls(60, 10);
    const batch = applyAll(
      open,
      [
        (state, at, wanted) => applyReserve(state, one!, at, wanted),
        (state, at) => applySettle(state, open.open[0]!.id, settled(), at),
        (state, at, wanted) => applyReserve(state, two!, at, wanted),
      ],
      now,
      new Map([[key, 100]]),
    );
    expect(batch.outcomes).toMatchObject([{ ok: true }, true, { ok: true }]);
  });

  test('an idle slice is returned, except for its spent part', () => {
    const held = reserve(emptyState, calls(10), 0).state;
    expect(applyReclaim(held, now + 30_000)).toMatchObject({ state: held, outcome: 0 });
    const idle = applyReclaim(held, now - (now % 1000) + 60_000);
    expect(idle).toMatchObject({ outcome: 90, moves: new Map([[key, -90]]) });
    expect(applyReclaim(idle.state, now + 60_000).state).toBe(idle.state);
    expect(usedOf(idle.state, key)).toBe(idle.state.slices[key]!.granted_microusd);
  });

  test('a cost that exceeds the slice is added to the total of all tenants', () => {
    const held = reserve(emptyState, calls(10), 0).state;
    const over = applySettle(held, held.open[0]!.id, settled({ cost_microusd: 130 }), now).state;
    expect(applyReclaim(over, now)).toMatchObject({ outcome: 0, moves: new Map([[key, 30]]) });
  });
});

test('[limit.budget] a new slice starts empty, and returning an idle slice never takes the total below 0', () => {
  const used_at = Math.floor(now / 1000);
  const first = reserve(emptyState, calls(10), 0).state.slices[key];
  expect(first).toEqual({ granted_microusd: 100, total_microusd: 100, used_at });
  const idle = (total_microusd: number): CounterState => ({
    ...emptyState,
    slices: { [key]: { granted_microusd: 100, total_microusd, used_at: 0 } },
  });
  const reclaimed = applyAll(idle(150), [applyReclaim], now);
  expect(reclaimed).toMatchObject({ unchanged: false, outcomes: [100], lacking: [] });
  expect(reclaimed.moves).toEqual(new Map([[key, { microusd: -100 }]]));
  expect(reclaimed.state.slices[key]).toMatchObject({ granted_microusd: 0, total_microusd: 50 });
  expect(applyAll(idle(40), [applyReclaim], now).state.slices[key]).toMatchObject({ total_microusd: 0 });
});
