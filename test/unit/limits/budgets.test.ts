import { emptyState, maxOpen } from '#core/limits/counter-state.ts';
import { stateText } from '#core/limits/state-text.ts';
import { budget, call, counters, noLimits, refusal } from './sample.ts';

describe('a budget', () => {
  test('[limit.budget] the refusal of a call that costs more than the whole budget says that waiting does not help', () => {
    const limits = { budgets: [budget(2_000_000)] };
    const refused = refusal(counters(emptyState).reserve(call(limits, { cost_microusd: 2_000_001 })));
    expect(refused.message).toContain('Waiting does not help: lower max_tokens');
    expect(counters(emptyState).reserve(call(limits, { cost_microusd: 2_000_000 })).ok).toBe(true);
  });

  test.each([
    ['day', '2026-12-31T23:59:59.001Z', 1],
    ['month', '2026-12-31T12:00:00.000Z', 43_200],
    ['month', '2028-02-28T00:00:00.000Z', 2 * 86_400],
    ['day', '2028-02-28T00:00:00.000Z', 86_400],
  ] as const)('the %s period at %s ends in %d s', (period, at, seconds) => {
    const tenant = counters(emptyState);
    tenant.time.ms = Date.parse(at);
    const refused = refusal(tenant.reserve(call({ budgets: [budget(0, { period })] })));
    expect(refused.retryAfterSeconds).toBe(seconds);
  });
});

describe('a reservation', () => {
  test('only a limited number can be open at the same time', () => {
    const open = counters(emptyState);
    for (let i = 0; i < maxOpen; i++) open.reserve(call(noLimits));
    expect(refusal(open.reserve(call(noLimits)))).toMatchObject({ what: 'open_calls', retryAfterSeconds: 1 });
  });

  test('the stored item stays small enough even with the longest names', () => {
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
});

test('[limit.budget] spend is stored for the current and the previous period, and a key’s spend for 28 days', () => {
  const kept = ['tenant|month|2026-11', 'tenant|month|2026-10', 'tenant|day|2026-11-20', 'key:k|day|2026-10-24'];
  const gone = ['tenant|month|2026-09', 'tenant|day|2026-11-19', 'key:k|day|2026-10-23'];
  const spendOf = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, 5]));
  const tenant = counters({ ...emptyState, spend: spendOf([...gone, ...kept]) });
  tenant.reserve(call(noLimits));
  expect(tenant.state().spend).toEqual(spendOf(kept));
});
