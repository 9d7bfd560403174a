/**
 * Calls made with limited keys, in any order: neither the key nor its tenant exceeds a limit, and a refusal consumes
 * nothing [limit.key].
 */
import fc from 'fast-check';
import { type CounterState, emptyState } from '#core/limits/counter-state.ts';
import { callOfReservation, withKeys } from '#core/limits/key-counters.ts';
import type { Counters, Limits, ReserveOutcome } from '#core/limits/ports.ts';
import { applyBegin, applyExtend, applyReserve, applySettle } from '#core/limits/state.ts';
import { budget, call, now } from '../unit/limits/sample.ts';

const tenant: Limits = { requests_per_minute: 5, tokens_per_minute: 100, budgets: [budget(300)] };
const keys: readonly Limits[] = [
  { holder: 'key', requests_per_minute: 2, budgets: [] },
  { holder: 'key', tokens_per_minute: 60, budgets: [budget(150, { account: 'key:b', scope: 'key' })] },
];

/**
 * Creates in-memory counters from the pure transitions, with one state per name; `begin` and the other functions behave
 * as in the store.
 */
function inMemory(time: { ms: number }) {
  const states = new Map<string, CounterState>();
  const of = (name: string) => states.get(name) ?? emptyState;
  const step = <T>(name: string, made: { state: CounterState; outcome: T }): T => {
    states.set(name, made.state);
    return made.outcome;
  };
  const counters = {
    reserve: async (request) => step(request.tenant, applyReserve(of(request.tenant), request, time.ms)),
    begin: async (name, id) => void step(name, applyBegin(of(name), id, time.ms)),
    extend: async (name, id) => void step(name, applyExtend(of(name), id, time.ms)),
    settle: async (name, id, settlement) => void step(name, applySettle(of(name), id, settlement, time.ms)),
  } as Partial<Counters> as Counters;
  return { counters, of };
}

const event = fc.oneof(
  fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(40_000) }),
  fc.record({
    kind: fc.constant('reserve' as const),
    key: fc.option(fc.nat(1), { nil: undefined }),
    tokens: fc.nat(50),
    cost: fc.nat(90),
  }),
  fc.record({ kind: fc.constant('settle' as const), which: fc.nat(20) }),
);

test('[limit.key] a call passes if and only if both the tenant and the key have capacity, and both or neither count it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const time = { ms: now };
      const { counters: inner, of } = inMemory(time);
      const counters = withKeys(inner);
      const open: string[] = [];
      for (const each of events) {
        if (each.kind === 'pass') time.ms += each.ms;
        else if (each.kind === 'settle') {
          const [id] = open.splice(each.which % Math.max(1, open.length), 1);
          if (id !== undefined) await counters.settle('t', id, { tokens: 1, cost_microusd: 1, counted: true });
        } else {
          const part = each.key === undefined ? undefined : { counters: `t/${each.key}`, limits: keys[each.key]! };
          const request = call(tenant, { tokens: each.tokens, cost_microusd: each.cost, key: part });
          const before = [of('t'), part && of(part.counters)];
          const alone = [
            applyReserve(of('t'), request, time.ms).outcome.ok,
            !part || applyReserve(of(part.counters), { ...request, limits: part.limits }, time.ms).outcome.ok,
          ];
          const outcome: ReserveOutcome = await counters.reserve(request);
          expect(outcome.ok).toBe(alone.every(Boolean));
          if (outcome.ok) open.push(request.id);
          else expect([of('t').open, part && of(part.counters).open]).toEqual(before.map((state) => state?.open));
        }
        const calls = (name: string) => of(name).open.map(({ id }) => callOfReservation(id));
        expect(new Set(calls('t'))).toEqual(new Set(open));
        for (const key of [0, 1]) expect(open).toEqual(expect.arrayContaining(calls(`t/${key}`)));
      }
    }),
    { numRuns: 150 },
  );
});
