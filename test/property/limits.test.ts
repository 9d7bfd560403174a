/** Properties of the counters: in any order of events no limit is exceeded and no reservation leaks. */
import fc from 'fast-check';
import { applyAll, type Transition } from '#core/limits/batch.ts';
import { type CounterState, emptyState, usedOf } from '#core/limits/counter-state.ts';
import type { ReserveOutcome } from '#core/limits/ports.ts';
import { applyReclaim } from '#core/limits/slices.ts';
import { applyBegin, applyExtend, applyReserve, applySettle, expiredReservations } from '#core/limits/state.ts';
import { stateOf, stateText } from '#core/limits/state-text.ts';
import { budget, call, globalBudget, now } from '../unit/limits/sample.ts';

const limits = {
  requests_per_minute: 6,
  tokens_per_minute: 100,
  budgets: [budget(300), budget(120, { period: 'day' })],
};
const month = 'tenant|month|2026-11';

type Event =
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'reserve'; readonly tokens: number; readonly cost: number }
  | { readonly type: 'settle'; readonly which: number; readonly share: number; readonly counted: boolean }
  | { readonly type: 'begin' | 'extend'; readonly which: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.oneof(fc.nat(1500), fc.nat(70_000)) }),
  },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('reserve' as const), tokens: fc.nat(60), cost: fc.nat(60) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('settle' as const),
      which: fc.nat(20),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      counted: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom('begin' as const, 'extend' as const), which: fc.nat(20) }),
  },
);
const course = fc.array(event, { maxLength: 60 });

/** A call as recorded independently. */
interface Noted {
  readonly id: string;
  readonly at: number;
  readonly tokensReserved: number;
  readonly costReserved: number;
  tokens: number;
  requests: number;
  cost: number;
  open: boolean;
}

/** Applies events to the counters and to an independent record; `check` is called after every event. */
function play(events: readonly Event[], check: (state: CounterState, noted: readonly Noted[], nowMs: number) => void) {
  let state = emptyState;
  let nowMs = now;
  const noted: Noted[] = [];
  const pick = (which: number) => noted[which % Math.max(1, noted.length)];
  for (const each of events) {
    if (each.type === 'pass') nowMs += each.ms;
    else if (each.type === 'reserve') {
      const request = call(limits, { tokens: each.tokens, cost_microusd: each.cost });
      const step = applyReserve(state, request, nowMs);
      if (step.outcome.ok) {
        const { tokens, cost } = each;
        noted.push({
          id: request.id,
          at: nowMs,
          tokensReserved: tokens,
          costReserved: cost,
          tokens,
          requests: 1,
          cost,
          open: true,
        });
      } else expect(step.state).toBe(state);
      state = step.state;
    } else {
      const one = pick(each.which);
      if (!one) continue;
      if (each.type === 'settle') {
        const tokens = Math.floor(one.tokensReserved * each.share);
        const cost_microusd = Math.floor(one.costReserved * each.share);
        const settlement = { tokens, cost_microusd, counted: each.counted };
        const step = applySettle(state, one.id, settlement, nowMs);
        expect(step.outcome).toBe(one.open);
        if (one.open) Object.assign(one, { tokens, cost: cost_microusd, requests: each.counted ? 1 : 0, open: false });
        else expect(step.state).toBe(state);
        // Settling twice has the same effect as settling once.
        expect(applySettle(step.state, one.id, settlement, nowMs).state).toBe(step.state);
        state = step.state;
      } else {
        const step = each.type === 'begin' ? applyBegin(state, one.id, nowMs) : applyExtend(state, one.id, nowMs);
        expect(step.outcome).toBe(one.open);
        state = step.state;
      }
    }
    check(state, noted, nowMs);
  }
  return { state, noted, nowMs };
}

test('[limit.rate] no 60-second period exceeds the limit, wherever it starts', () => {
  fc.assert(
    fc.property(course, (events) => {
      play(events, (_, noted) => {
        for (const { at } of noted) {
          const window = noted.filter((other) => other.at >= at && other.at < at + 60_000);
          expect(window.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(6);
          expect(window.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(100);
        }
      });
    }),
    { numRuns: 300 },
  );
});

test('[limit.rate] a caller that waits for Retry-After is let through, unless another caller gets there first', () => {
  fc.assert(
    fc.property(course, fc.nat(60), (events, tokens) => {
      const onlyRates = { requests_per_minute: 6, tokens_per_minute: 100, budgets: [] };
      const { state, nowMs } = play(events, () => {});
      const request = call(onlyRates, { tokens });
      const { outcome } = applyReserve(state, request, nowMs);
      if (outcome.ok) return;
      expect(applyReserve(state, request, nowMs + outcome.retryAfterSeconds * 1000).outcome.ok).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("[limit.budget] spent and reserved never pass the budget, and equal a bystander's count", () => {
  fc.assert(
    fc.property(course, (events) => {
      play(events, (state, noted, nowMs) => {
        const sum = noted.reduce((total, { cost }) => total + cost, 0);
        expect(sum).toBeLessThanOrEqual(300);
        if (nowMs < Date.UTC(2026, 11, 1)) expect(usedOf(state, month)).toBe(sum);
      });
    }),
    { numRuns: 300 },
  );
});

test('[limit.budget] once all callers stop, no reservation remains after the leases expire', () => {
  fc.assert(
    fc.property(course, (events) => {
      let { state, noted, nowMs } = play(events, () => {});
      nowMs += 60_000;
      const expired = expiredReservations(state, 't', nowMs);
      expect(expired.map(({ id }) => id).sort()).toEqual(
        noted
          .filter(({ open }) => open)
          .map(({ id }) => id)
          .sort(),
      );
      for (const { id, begun, tokens, cost_microusd, lease_expires_at } of expired) {
        const settlement = begun
          ? { tokens, cost_microusd, counted: true }
          : { tokens: 0, cost_microusd: 0, counted: false };
        state = applySettle(state, id, { ...settlement, lease_expires_at }, nowMs).state;
      }
      expect(state.open).toEqual([]);
      expect(usedOf(state, month)).toBe(state.spend[month] ?? 0);
    }),
  );
});

test('a batch gives the same result as its calls one by one, and the item can be read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ tokens: fc.nat(60), cost: fc.nat(60) }), { maxLength: 12 }), (calls) => {
      const transitions = calls.map(({ tokens, cost }): Transition<ReserveOutcome> => {
        const request = call(limits, { tokens, cost_microusd: cost });
        return (state, at) => applyReserve(state, request, at);
      });
      const batch = applyAll(emptyState, transitions, now);
      let state = emptyState;
      const outcomes = transitions.map((transition) => {
        const step = transition(state, now);
        state = step.state;
        return step.outcome;
      });
      expect(batch.outcomes).toEqual(outcomes);
      expect(batch.state).toEqual(state);
      expect(stateOf(stateText(state))).toEqual(state);
    }),
  );
});

describe('a global budget', () => {
  const limit = 1000;
  const key = 'global|month|2026-11';
  const shared = { budgets: [globalBudget(limit)] };
  const action = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('calls' as const),
        tenant: fc.nat(2),
        costs: fc.array(fc.nat(200), { minLength: 1, maxLength: 4 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('settle' as const),
        tenant: fc.nat(2),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('sweep' as const), tenant: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.nat(100_000) }) },
  );

  test('[limit.budget] no grant exceeds the global limit, and no tenant spends more than its grant', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const tenants = [emptyState, emptyState, emptyState];
        let held = 0;
        let nowMs = now;
        const run = (tenant: number, transitions: readonly Transition<unknown>[]) => {
          let batch = applyAll(tenants[tenant]!, transitions, nowMs);
          if (batch.lacking.length > 0) batch = applyAll(tenants[tenant]!, transitions, nowMs, new Map([[key, held]]));
          expect(batch.lacking).toEqual([]);
          tenants[tenant] = batch.state;
          for (const { microusd, limit_microusd } of batch.moves.values()) {
            // The store's own condition on a grant must always be met if no other writer interferes.
            if (limit_microusd !== undefined) expect(held + microusd).toBeLessThanOrEqual(limit_microusd);
            held += microusd;
          }
        };
        for (const each of actions) {
          if (each.type === 'pass') nowMs = Math.min(nowMs + each.ms, Date.UTC(2026, 11, 1) - 1);
          else if (each.type === 'sweep') run(each.tenant, [applyReclaim]);
          else if (each.type === 'settle') {
            const [open] = tenants[each.tenant]!.open;
            if (!open) continue;
            const settlement = { tokens: 0, cost_microusd: Math.floor(open.cost_microusd * each.share), counted: true };
            run(each.tenant, [(state, at) => applySettle(state, open.id, settlement, at)]);
          } else {
            const requests = each.costs.map((cost_microusd) => call(shared, { cost_microusd }));
            run(
              each.tenant,
              requests.map((request) => (state, at, wanted) => applyReserve(state, request, at, wanted)),
            );
          }
          const granted = tenants.reduce((sum, { slices }) => sum + (slices[key]?.granted_microusd ?? 0), 0);
          expect(granted).toBe(held);
          expect(held).toBeLessThanOrEqual(limit);
          for (const state of tenants) {
            expect(usedOf(state, key)).toBeLessThanOrEqual(state.slices[key]?.granted_microusd ?? 0);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
