/** Limits of one key: rates, booked accounts, and budget status. */

import type { KeyLimits } from '#core/configuration/identity/identities.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { keyStatuses } from '#core/limits/key-statuses.ts';
import { limitsOfAll, limitsOfAllOfKey } from '#core/limits/limits-of-all.ts';
import {
  keyCounters,
  keyCounterTenant,
  keyPartOf,
  limitsOfKey,
  ownLimitsOf,
  tenantOfCounters,
} from '#core/limits/limits-of-key.ts';
import { isLimited } from '#core/limits/ports.ts';

const own = (over: Partial<KeyLimits> = {}): KeyLimits => ({ tenant: 't', name: 'writer', ...over });
const identities = (...keys: [string, KeyLimits][]) => ({ limits: new Map(keys) }) as never;
const caller = { key_id: 'k', tenant: 't' };
const accounts = ({ budgets }: ReturnType<typeof limitsOfKey>) =>
  budgets.map(
    ({ account, scope, period, limit_microusd, unlimited }) =>
      `${scope} ${account} ${period} ${unlimited ? 'unlimited' : limit_microusd}`,
  );

test("the name of a key's counters contains its tenant", () => {
  expect(keyCounterTenant('t', 'k')).toBe('t/k');
  expect(tenantOfCounters('t/k')).toBe('t');
  expect(tenantOfCounters('t')).toBe('t');
});

test('the sweep reads the counters of keys with a rate limit or a budget', () => {
  const keys = identities(
    ['rate', own({ rate_limit: { requests_per_minute: 1 } })],
    ['budget', own({ tenant: 'u', budget: { daily_usd: 1 } as never })],
    ['models', own({ allowed_models: ['m'] })],
  );
  expect(keyCounters(keys)).toEqual(['t/rate', 'u/budget']);
});

describe('[limit.key] a key with limits', () => {
  test('can be used only in its own tenant', () => {
    const keys = identities(['k', own()]);
    expect(ownLimitsOf(keys, caller)).toEqual(own());
    expect(ownLimitsOf(keys, { key_id: 'other', tenant: 'u' })).toBeUndefined();
    expect(() => ownLimitsOf(keys, { key_id: 'k', tenant: 'u' })).toThrow(
      /can call models and tools only in the tenant t; found u/,
    );
    expect(() => keyPartOf(keys, { key_id: 'k', tenant: 'u' }, 'm')).toThrow(/only in the tenant t;/);
  });

  test('is counted only if it has a rate limit or a budget', () => {
    expect(keyPartOf(identities(), caller, 'm')).toBeUndefined();
    expect(keyPartOf(identities(['k', own({ allowed_models: ['m'] })]), caller, 'm')).toBeUndefined();
    const rate = own({ rate_limit: { requests_per_minute: 5 } });
    expect(keyPartOf(identities(['k', rate]), caller, 'm')).toEqual({
      counters: 't/k',
      limits: { holder: 'key', requests_per_minute: 5, budgets: [] },
    });
    expect(keyPartOf(identities(['k', own({ budget: { daily_usd: 1 } as never })]), caller, 'm')).toBeDefined();
  });

  test('has its limits resolved once per model, and resolved again after a thousand other models', () => {
    const keys = identities(['k', own({ rate_limit: { requests_per_minute: 5 } })]);
    const first = keyPartOf(keys, caller, 'm-0');
    expect(keyPartOf(keys, caller, 'm-0')).toBe(first);
    for (let n = 1; n <= 1000; n++) keyPartOf(keys, caller, `m-${n}`);
    expect(keyPartOf(keys, caller, 'm-0')).not.toBe(first);
  });
});

const day = 'key key:k day 1000000';
test.each<[string, object, object, string[]]>([
  ['nothing', {}, {}, []],
  ['a budget of a day', {}, { daily_usd: 1 }, [day]],
  [
    'a budget of a month, whose days are booked as well',
    {},
    { monthly_usd: 2 },
    ['key key:k day unlimited', 'key key:k month 2000000'],
  ],
  [
    'rates and both budgets',
    { requests_per_minute: 5, tokens_per_minute: 7 },
    { daily_usd: 1, monthly_usd: 2 },
    [day, 'key key:k month 2000000'],
  ],
  [
    'budgets of a day and of the model',
    {},
    { daily_usd: 1, models: { 'm*': { monthly_usd: 2 } } },
    [day, 'key key:k:m* day unlimited', 'key key:k:m* month 2000000'],
  ],
  ['a budget of another model', {}, { models: { 'x*': { daily_usd: 1 } } }, []],
])('[limit.key] the limits of a key with %s', (_what, rate_limit, budget, expected) => {
  const limits = limitsOfKey(own({ rate_limit, budget: budget as never }), 'k', 'm-1');
  const { budgets: _budgets, ...rest } = limits;
  expect(rest).toEqual({ holder: 'key', ...rate_limit });
  expect(accounts(limits)).toEqual(expected);
});

const configuration = {
  tenants: [{ id: 't', rate_limit: { requests_per_minute: 9 } }],
  budgets: {
    global: { monthly_usd: 100, models: { 'dear*': { monthly_usd: 10 } } },
    tenants: { t: { daily_usd: 1, models: { 'm?': { daily_usd: 2 }, x: { monthly_usd: 3 } } } },
  },
} as unknown as Configuration;

test("all budgets of a tenant's calls are listed, each once", () => {
  const limits = limitsOfAll(configuration, 't');
  expect(limits.requests_per_minute).toBe(9);
  expect(accounts(limits).sort()).toEqual([
    'global global month 100000000',
    'global global:dear* month 10000000',
    'tenant tenant day 1000000',
    'tenant tenant:m? day 2000000',
    'tenant tenant:x month 3000000',
  ]);
  const bare = { ...configuration, budgets: { tenants: {} } } as unknown as Configuration;
  expect(limitsOfAll(bare, 't').budgets).toEqual([]);
  expect(
    accounts(limitsOfAllOfKey(own({ budget: { daily_usd: 1, models: { 'm*': { daily_usd: 2 } } } as never }), 'k')),
  ).toEqual(['key key:k day 1000000', 'key key:k:m* day 2000000']);
});

test('[limit.key] keys with a budget are listed by name, without the periods used only for forecasts', async () => {
  const asked: unknown[] = [];
  const counters = {
    status: async (name: string, { budgets }: { budgets: object[] }) => {
      asked.push(name);
      return { budgets, spend: { [name]: 1 } };
    },
  } as never;
  const keys = identities(
    ['k2', own({ name: 'zoe', budget: { monthly_usd: 1 } as never })],
    ['k1', own({ name: 'adam', budget: { daily_usd: 1 } as never })],
    ['k3', own({ name: 'rated', rate_limit: { requests_per_minute: 1 } })],
    ['k4', own({ name: 'foreign', tenant: 'u', budget: { daily_usd: 1 } as never })],
  );
  const statuses = await keyStatuses(counters, keys, 't');
  expect(asked.toSorted()).toEqual(['t/k1', 't/k2']);
  expect(statuses).toMatchObject([
    { keyId: 'k1', name: 'adam', budgets: [{ period: 'day' }], spend: { 't/k1': 1 } },
    { keyId: 'k2', name: 'zoe', budgets: [{ period: 'month' }], spend: { 't/k2': 1 } },
  ]);
  expect(statuses[1]?.budgets).toHaveLength(1);
});

test.each([
  [{ budgets: [] }, false],
  [{ requests_per_minute: 0, budgets: [] }, true],
  [{ tokens_per_minute: 5, budgets: [] }, true],
  [{ budgets: [{ account: 'tenant', scope: 'tenant', period: 'day', limit_microusd: 0 }] }, true],
] as const)('calls are counted under limits %j: %s', (limits, counted) => expect(isLimited(limits)).toBe(counted));
