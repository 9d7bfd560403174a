import { emptyState, maxOpen, usedOf } from '#core/limits/counter-state.ts';
import { applyBegin, applyExtend, expiredReservations } from '#core/limits/state.ts';
import { stateOf, stateText } from '#core/limits/state-text.ts';
import { budget, call, counters, noLimits, now, refusal, settled } from './sample.ts';

const key = 'tenant|month|2026-11';

describe('a budget', () => {
  test('[limit.budget] alerts from 80 %, warns from 90 %, is exhausted at 100 %', () => {
    const tenant = counters(emptyState);
    const limits = { budgets: [budget(100)] };
    const tiers = [79, 1, 9, 1, 9, 1].map((cost_microusd) => {
      const outcome = tenant.reserve(call(limits, { cost_microusd }));
      return outcome.ok && outcome.budgets.map(({ used_microusd, tier }) => [used_microusd, tier]);
    });
    expect(tiers.flat()).toEqual([
      [79, 'ok'],
      [80, 'alert'],
      [89, 'alert'],
      [90, 'warning'],
      [99, 'warning'],
      [100, 'exhausted'],
    ]);
  });

  test('[limit.budget] a call dearer than the whole budget learns that waiting does not help', () => {
    const limits = { budgets: [budget(2_000_000)] };
    const refused = refusal(counters(emptyState).reserve(call(limits, { cost_microusd: 2_000_001 })));
    expect(refused.message).toContain('Waiting does not help: lower max_tokens');
    expect(counters(emptyState).reserve(call(limits, { cost_microusd: 2_000_000 })).ok).toBe(true);
  });

  test('[limit.budget] without room refuses with account, numbers and the end of its period, and consumes nothing', () => {
    const tenant = counters(emptyState);
    const limits = { budgets: [budget(50_000_000), budget(2_000_000, { account: 'tenant:gpt-*', period: 'day' })] };
    tenant.reserve(call(limits, { cost_microusd: 1_500_000 }));
    const before = tenant.state();
    expect(refusal(tenant.reserve(call(limits, { cost_microusd: 500_001 })))).toEqual({
      ok: false,
      code: 'budget_exceeded',
      what: 'tenant:gpt-*',
      message:
        'The budget tenant:gpt-* of 2.00 USD a day has no room: 1.50 USD are spent or reserved and this call may cost 0.500001 USD. It resets in 43200 s.',
      retryAfterSeconds: 43_200,
      limits: {},
    });
    expect(tenant.state()).toBe(before);
    expect(tenant.reserve(call(limits, { cost_microusd: 500_000 })).ok).toBe(true);
  });

  test('[limit.budget] at 100 % nothing passes, not even what costs nothing; below it does', () => {
    const tenant = counters(emptyState);
    const limits = { budgets: [budget(10)] };
    expect(tenant.reserve(call(limits)).ok).toBe(true);
    tenant.reserve(call(limits, { cost_microusd: 10 }));
    expect(tenant.reserve(call(limits)).ok).toBe(false);
  });

  test('[limit.budget] a budget of 0 refuses everything, no budget nothing', () => {
    expect(refusal(counters(emptyState).reserve(call({ budgets: [budget(0)] }))).what).toBe('tenant');
    expect(counters(emptyState).reserve(call(noLimits, { cost_microusd: 9e9 })).ok).toBe(true);
  });

  test('reserved money counts until it is settled; then what the call cost', () => {
    const tenant = counters(emptyState);
    const limits = { budgets: [budget(100)] };
    const first = call(limits, { cost_microusd: 100 });
    tenant.reserve(first);
    expect(tenant.reserve(call(limits, { cost_microusd: 1 })).ok).toBe(false);
    tenant.settle(first.id, settled({ cost_microusd: 30 }));
    tenant.settle(first.id, settled({ cost_microusd: 30 }));
    expect(usedOf(tenant.state(), key)).toBe(30);
    expect(tenant.reserve(call(limits, { cost_microusd: 70 })).ok).toBe(true);
  });

  test('a call that cost more than it reserved is booked in full', () => {
    const tenant = counters(emptyState);
    const limits = { budgets: [budget(100)] };
    const first = call(limits, { cost_microusd: 90 });
    tenant.reserve(first);
    tenant.settle(first.id, settled({ cost_microusd: 120 }));
    expect(usedOf(tenant.state(), key)).toBe(120);
    expect(tenant.reserve(call(limits)).ok).toBe(false);
  });

  test('belongs to the period in which the call was reserved; the one before the last is forgotten', () => {
    const tenant = counters(emptyState);
    const limits = { budgets: [budget(100), budget(100, { period: 'day' })] };
    const last = call(limits, { cost_microusd: 60 });
    tenant.time.ms = Date.UTC(2026, 10, 30, 23, 59, 59);
    tenant.reserve(last);
    tenant.time.ms += 2_000;
    const first = call(limits, { cost_microusd: 100 });
    expect(tenant.reserve(first).ok).toBe(true);
    tenant.settle(last.id, settled({ cost_microusd: 55 }));
    tenant.settle(first.id, settled({ cost_microusd: 5 }));
    expect(tenant.state().spend).toEqual({
      'tenant|month|2026-11': 55,
      'tenant|day|2026-11-30': 55,
      'tenant|month|2026-12': 5,
      'tenant|day|2026-12-01': 5,
    });
    tenant.time.ms += 32 * 24 * 3600 * 1000;
    tenant.reserve(call(limits));
    expect(tenant.state().spend).toEqual({ 'tenant|month|2026-12': 5 });
  });

  test.each([
    ['day', '2026-12-31T23:59:59.001Z', 1],
    ['month', '2026-12-31T12:00:00.000Z', 43_200],
    ['month', '2028-02-28T00:00:00.000Z', 2 * 86_400],
    ['day', '2028-02-28T00:00:00.000Z', 86_400],
  ] as const)('a %s at %s ends in %d s', (period, at, seconds) => {
    const tenant = counters(emptyState);
    tenant.time.ms = Date.parse(at);
    const refused = refusal(tenant.reserve(call({ budgets: [budget(0, { period })] })));
    expect(refused.retryAfterSeconds).toBe(seconds);
  });
});

describe('a reservation', () => {
  test('stands under its id: asked for twice it is one', () => {
    const tenant = counters(emptyState);
    const twice = call({ requests_per_minute: 1, budgets: [] });
    expect(tenant.reserve(twice).ok).toBe(true);
    const before = tenant.state();
    expect(tenant.reserve(twice).ok).toBe(true);
    expect(tenant.state()).toBe(before);
  });

  test('is expired when its lease has ended, unless it was renewed', () => {
    const tenant = counters(emptyState);
    const calls = [call(noLimits, { from_index: 7 }), call(noLimits), call(noLimits)];
    for (const each of calls) tenant.reserve(each);
    tenant.time.ms += 30_000;
    expect(tenant.run((state, at) => applyBegin(state, calls[1]!.id, at))).toBe(true);
    expect(tenant.run((state, at) => applyExtend(state, calls[2]!.id, at))).toBe(true);
    expect(tenant.run((state, at) => applyExtend(state, 'nobody', at))).toBe(false);
    expect(expiredReservations(tenant.state(), 't', now + 59_999)).toEqual([]);
    expect(expiredReservations(tenant.state(), 't', now + 60_000)).toEqual([
      {
        id: calls[0]!.id,
        tenant: 't',
        lasted_ms: 500,
        session_id: 's',
        from_index: 7,
        tokens: 10,
        cost_microusd: 0,
        begun: false,
        lease_expires_at: new Date(now + 60_000).toISOString(),
      },
    ]);
    expect(expiredReservations(tenant.state(), 't', now + 90_000).map(({ begun }) => begun)).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('that came back to life is not healed by what was seen before', () => {
    const tenant = counters(emptyState);
    const slow = call(noLimits);
    tenant.reserve(slow);
    tenant.time.ms += 60_000;
    const [seen] = expiredReservations(tenant.state(), 't', tenant.time.ms);
    tenant.run((state, at) => applyBegin(state, slow.id, at));
    const healing = settled({ lease_expires_at: seen!.lease_expires_at });
    expect(tenant.settle(slow.id, healing)).toBe(false);
    expect(tenant.state().open).toHaveLength(1);
  });

  test('at most the given number is open at once', () => {
    const open = counters(emptyState);
    for (let i = 0; i < maxOpen; i++) open.reserve(call(noLimits));
    expect(refusal(open.reserve(call(noLimits)))).toMatchObject({ what: 'open_calls', retryAfterSeconds: 1 });
  });

  test('its item stays below what the store takes, however long the names are', () => {
    const tenant = counters(emptyState);
    const limits = {
      budgets: Array.from({ length: 8 }, (_, i) => budget(1e12, { account: `tenant:${'m'.repeat(60)}${i}` })),
    };
    const over = { id: '0'.repeat(36), session_id: 's'.repeat(128), cost_microusd: 1_000_000, tokens: 1_000_000 };
    tenant.reserve(call(limits, over));
    const [one] = tenant.state().open;
    const full = { ...tenant.state(), open: Array.from({ length: maxOpen }, () => one!) };
    expect(stateText(full).length).toBeLessThan(300_000);
  });

  test('reads back as it was written', () => {
    const tenant = counters(emptyState);
    const limits = { budgets: [budget(100), budget(100, { account: 'tenant:a|b', period: 'day' })] };
    for (let i = 0; i < 5; i++) {
      tenant.reserve(call(limits, { cost_microusd: i, from_index: i }));
      tenant.time.ms += 7_000;
    }
    tenant.run((state, at) => applyBegin(state, tenant.state().open[0]!.id, at));
    tenant.settle(tenant.state().open[1]!.id, settled({ cost_microusd: 3 }));
    const state = {
      ...tenant.state(),
      slices: { 'global|day|2026-11-21': { granted_microusd: 1, total_microusd: 2, used_at: 3 } },
    };
    expect(stateOf(stateText(state))).toEqual(state);
    expect(stateOf(stateText(emptyState))).toEqual(emptyState);
  });
});
