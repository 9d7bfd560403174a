import { emptyState } from '#core/limits/counter-state.ts';
import { addToBucket } from '#core/limits/window.ts';
import { call, counters, refusal, settled } from './sample.ts';

const three = { requests_per_minute: 3, budgets: [] };

describe('the request window', () => {
  test('[limit.rate] accepts calls up to the limit and refuses the next one, which consumes nothing', () => {
    const tenant = counters(emptyState);
    expect([1, 2, 3].map(() => tenant.reserve(call(three)).limits.remaining_requests)).toEqual([2, 1, 0]);
    const before = tenant.state();
    expect(refusal(tenant.reserve(call(three)))).toMatchObject({
      code: 'rate_limit_error',
      what: 'requests_per_minute',
      retryAfterSeconds: 61,
      limits: { limit_requests: 3, remaining_requests: 0, reset_requests: 61 },
    });
    expect(tenant.state()).toBe(before);
  });

  test('a limit of 0 refuses every call, and no limit accepts every call', () => {
    const zero = refusal(counters(emptyState).reserve(call({ requests_per_minute: 0, budgets: [] })));
    expect(zero).toMatchObject({ retryAfterSeconds: 60, limits: { limit_requests: 0, remaining_requests: 0 } });
    const noTokens = call({ tokens_per_minute: 0, budgets: [] }, { tokens: 0 });
    expect(counters(emptyState).reserve(noTokens).ok).toBe(false);
    const tenant = counters(emptyState);
    for (let i = 0; i < 200; i++) expect(tenant.reserve(call({ budgets: [] })).limits).toEqual({});
  });

  test('an uncounted call frees its slot', () => {
    const tenant = counters(emptyState);
    const given = call({ requests_per_minute: 1, budgets: [] });
    tenant.reserve(given);
    tenant.settle(given.id, settled({ tokens: 0, counted: false }));
    expect(tenant.state().window).toEqual([]);
    expect(tenant.reserve(call({ requests_per_minute: 1, budgets: [] })).ok).toBe(true);
  });

  test('a call with a slow clock is counted in the current second of the others, and a clock one hour fast does not affect them', () => {
    const tenant = counters(emptyState);
    tenant.reserve(call(three));
    tenant.time.ms -= 3_000;
    tenant.reserve(call(three));
    expect(tenant.state().window).toEqual([
      { second: Math.floor((tenant.time.ms + 3_000) / 1000), requests: 2, tokens: 20 },
    ]);

    const confused = counters(emptyState);
    confused.time.ms += 3_600_000;
    for (let i = 0; i < 3; i++) confused.reserve(call(three));
    confused.time.ms -= 3_600_000;
    expect(confused.reserve(call(three)).ok).toBe(true);
  });
});

describe('the token window', () => {
  const thousand = { tokens_per_minute: 1000, budgets: [] };

  test('a late correction still applies to the second that was charged', () => {
    const tenant = counters(emptyState);
    const early = call(thousand, { tokens: 500 });
    tenant.reserve(early);
    const charged = tenant.state().window[0]!.second;
    tenant.time.ms += 30_000;
    tenant.settle(early.id, settled({ tokens: 700 }));
    expect(tenant.state().window).toEqual([{ second: charged, requests: 1, tokens: 700 }]);
  });

  test('a second outside the window is not corrected', () => {
    const tenant = counters(emptyState);
    const early = call(thousand, { tokens: 500 });
    tenant.reserve(early);
    tenant.time.ms += 61_000;
    expect(tenant.reserve(call(thousand, { tokens: 1000 })).ok).toBe(true);
    tenant.settle(early.id, settled({ tokens: 5000 }));
    expect(tenant.state().window).toMatchObject([{ tokens: 1000 }]);
  });

  test('the wait time is the shortest that frees enough tokens', () => {
    const tenant = counters(emptyState);
    tenant.reserve(call(thousand, { tokens: 400 }));
    tenant.time.ms += 10_000;
    tenant.reserve(call(thousand, { tokens: 600 }));
    expect(refusal(tenant.reserve(call(thousand, { tokens: 400 }))).retryAfterSeconds).toBe(51);
    expect(refusal(tenant.reserve(call(thousand, { tokens: 401 }))).retryAfterSeconds).toBe(61);
  });
});

describe('window buckets', () => {
  const one = { second: 5, requests: 1, tokens: 10 };
  test.each<[string, object, ReturnType<typeof addToBucket>]>([
    ['a new second', { second: 4, requests: 1, tokens: 0 }, [{ second: 4, requests: 1, tokens: 0 }, one]],
    ['a later one', { second: 6, requests: 0, tokens: 1 }, [one, { second: 6, requests: 0, tokens: 1 }]],
    ['the same second', { second: 5, requests: 2, tokens: 5 }, [{ second: 5, requests: 3, tokens: 15 }]],
    ['what is given back', { second: 5, requests: -1, tokens: -9 }, [{ second: 5, requests: 0, tokens: 1 }]],
    ['tokens alone', { second: 5, requests: 0, tokens: -10 }, [{ second: 5, requests: 1, tokens: 0 }]],
    ['all of it', { second: 5, requests: -1, tokens: -10 }, []],
    ['more than is there', { second: 5, requests: -9, tokens: -99 }, []],
  ])('%s', (_what, change, expected) => {
    const { second, ...by } = change as typeof one;
    expect(addToBucket([one], second, by)).toEqual(expected);
  });
});
