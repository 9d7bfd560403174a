import { emptyState } from '#core/limits/counter-state.ts';
import { counted } from '#core/limits/window.ts';
import { call, counters, refusal, settled } from './sample.ts';

const three = { requests_per_minute: 3, budgets: [] };

describe('the window of requests', () => {
  test('[limit.rate] lets the limit pass and refuses the next, which consumes nothing', () => {
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

  test('[limit.rate] a call leaves the window when it is more than 60 seconds old, and Retry-After says when', () => {
    const tenant = counters(emptyState);
    tenant.reserve(call(three));
    tenant.time.ms += 20_000;
    tenant.reserve(call(three));
    tenant.reserve(call(three));
    const { retryAfterSeconds } = refusal(tenant.reserve(call(three)));
    expect(retryAfterSeconds).toBe(41);
    tenant.time.ms += (retryAfterSeconds - 1) * 1000;
    expect(tenant.reserve(call(three)).ok).toBe(false);
    tenant.time.ms += 1000;
    expect(tenant.reserve(call(three)).ok).toBe(true);
    expect(tenant.reserve(call(three)).ok).toBe(false);
  });

  test('[limit.rate] Retry-After holds for both limits: the one that frees its room later answers', () => {
    const both = { requests_per_minute: 2, tokens_per_minute: 100, budgets: [] };
    const tenant = counters(emptyState);
    tenant.reserve(call(both, { tokens: 0 }));
    tenant.time.ms += 1000;
    tenant.reserve(call(both, { tokens: 60 }));
    const wanted = call(both, { tokens: 50 });
    const later = refusal(tenant.reserve(wanted));
    expect(later).toMatchObject({ what: 'tokens_per_minute', retryAfterSeconds: 61 });
    expect(refusal(tenant.reserve(call(both)))).toMatchObject({ what: 'requests_per_minute', retryAfterSeconds: 60 });
    tenant.time.ms += later.retryAfterSeconds * 1000;
    expect(tenant.reserve(wanted).ok).toBe(true);
  });

  test('a fixed window would let twice the limit pass across its boundary; this one does not', () => {
    const tenant = counters(emptyState);
    tenant.time.ms = Date.UTC(2026, 0, 1, 0, 0, 59, 999);
    for (let i = 0; i < 3; i++) tenant.reserve(call(three));
    tenant.time.ms += 1;
    expect(tenant.reserve(call(three)).ok).toBe(false);
    tenant.time.ms += 59_999;
    expect(tenant.reserve(call(three)).ok).toBe(false);
  });

  test('a limit of 0 lets nothing pass, no limit lets everything pass', () => {
    const zero = refusal(counters(emptyState).reserve(call({ requests_per_minute: 0, budgets: [] })));
    expect(zero).toMatchObject({ retryAfterSeconds: 60, limits: { limit_requests: 0, remaining_requests: 0 } });
    const noTokens = call({ tokens_per_minute: 0, budgets: [] }, { tokens: 0 });
    expect(counters(emptyState).reserve(noTokens).ok).toBe(false);
    const tenant = counters(emptyState);
    for (let i = 0; i < 200; i++) expect(tenant.reserve(call({ budgets: [] })).limits).toEqual({});
  });

  test('what was not counted is given back', () => {
    const tenant = counters(emptyState);
    const given = call({ requests_per_minute: 1, budgets: [] });
    tenant.reserve(given);
    tenant.settle(given.id, settled({ tokens: 0, counted: false }));
    expect(tenant.state().window).toEqual([]);
    expect(tenant.reserve(call({ requests_per_minute: 1, budgets: [] })).ok).toBe(true);
  });

  test('a process whose clock runs behind counts where the others do; a clock an hour ahead does not count for the others', () => {
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

describe('the window of tokens', () => {
  const thousand = { tokens_per_minute: 1000, budgets: [] };

  test('[limit.rate] is charged with what may be used and corrected to what was', () => {
    const tenant = counters(emptyState);
    const first = call(thousand, { tokens: 900 });
    expect(tenant.reserve(first).limits.remaining_tokens).toBe(100);
    const second = call(thousand, { tokens: 200 });
    expect(refusal(tenant.reserve(second))).toMatchObject({ what: 'tokens_per_minute', retryAfterSeconds: 61 });
    tenant.settle(first.id, settled({ tokens: 300 }));
    expect(tenant.reserve(second).limits.remaining_tokens).toBe(500);
  });

  test('the correction goes to the second that was charged, also when it is settled later', () => {
    const tenant = counters(emptyState);
    const early = call(thousand, { tokens: 500 });
    tenant.reserve(early);
    const charged = tenant.state().window[0]!.second;
    tenant.time.ms += 30_000;
    tenant.settle(early.id, settled({ tokens: 700 }));
    expect(tenant.state().window).toEqual([{ second: charged, requests: 1, tokens: 700 }]);
  });

  test('nothing is corrected in a second that has left the window', () => {
    const tenant = counters(emptyState);
    const early = call(thousand, { tokens: 500 });
    tenant.reserve(early);
    tenant.time.ms += 61_000;
    expect(tenant.reserve(call(thousand, { tokens: 1000 })).ok).toBe(true);
    tenant.settle(early.id, settled({ tokens: 5000 }));
    expect(tenant.state().window).toMatchObject([{ tokens: 1000 }]);
  });

  test('the refusal of a call beyond the whole limit says that waiting does not help', () => {
    const never = refusal(counters(emptyState).reserve(call(thousand, { tokens: 1001 })));
    expect(never.retryAfterSeconds).toBe(60);
    expect(never.message).toBe(
      'This tenant may have 1000 tokens a minute; this call may take 1001, which no waiting makes fit. Ask for less, or have the limit raised.',
    );
  });

  test('waits only for as much as is needed', () => {
    const tenant = counters(emptyState);
    tenant.reserve(call(thousand, { tokens: 400 }));
    tenant.time.ms += 10_000;
    tenant.reserve(call(thousand, { tokens: 600 }));
    expect(refusal(tenant.reserve(call(thousand, { tokens: 400 }))).retryAfterSeconds).toBe(51);
    expect(refusal(tenant.reserve(call(thousand, { tokens: 401 }))).retryAfterSeconds).toBe(61);
  });
});

describe('the buckets of a window', () => {
  const one = { second: 5, requests: 1, tokens: 10 };
  test.each<[string, object, ReturnType<typeof counted>]>([
    ['a new second', { second: 4, requests: 1, tokens: 0 }, [{ second: 4, requests: 1, tokens: 0 }, one]],
    ['a later one', { second: 6, requests: 0, tokens: 1 }, [one, { second: 6, requests: 0, tokens: 1 }]],
    ['the same second', { second: 5, requests: 2, tokens: 5 }, [{ second: 5, requests: 3, tokens: 15 }]],
    ['what is given back', { second: 5, requests: -1, tokens: -9 }, [{ second: 5, requests: 0, tokens: 1 }]],
    ['tokens alone', { second: 5, requests: 0, tokens: -10 }, [{ second: 5, requests: 1, tokens: 0 }]],
    ['all of it', { second: 5, requests: -1, tokens: -10 }, []],
    ['more than is there', { second: 5, requests: -9, tokens: -99 }, []],
  ])('%s', (_what, change, expected) => {
    const { second, ...by } = change as typeof one;
    expect(counted([one], second, by)).toEqual(expected);
  });
});
