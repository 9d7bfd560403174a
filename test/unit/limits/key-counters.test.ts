/** A call of a key with limits of its own: reserved with both, refused by either, and then nothing stays taken. */
import { withKeys } from '#core/limits/key-counters.ts';
import type { Counters, LimitStatus, ReserveOutcome, ReserveRequest } from '#core/limits/ports.ts';
import { call, noLimits } from './sample.ts';

const passed = (limits: LimitStatus = {}): ReserveOutcome => ({ ok: true, limits, budgets: [] });
const refused = (retryAfterSeconds: number): ReserveOutcome => ({
  ...{ ok: false, code: 'rate_limit_error', message: `for ${retryAfterSeconds} s`, what: 'requests' },
  ...{ retryAfterSeconds, limits: {} },
});

/** Counters that answer each holder as told, and remember what was asked. */
function counters(answers: Record<string, ReserveOutcome | Error>) {
  const asked: string[] = [];
  const step =
    (name: string) =>
    async (tenant: string, id: string): Promise<void> => {
      asked.push(`${name} ${tenant} ${id}`);
    };
  const inner = {
    async reserve({ tenant, id, key }: ReserveRequest) {
      asked.push(`reserve ${tenant} ${id}${key ? ' with its key' : ''}`);
      const answer = answers[tenant] ?? passed();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    ...{ begin: step('begin'), extend: step('extend'), settle: step('settle') },
  };
  return { asked, both: withKeys(inner as unknown as Counters) };
}

const ofKey = (id = 'c') => call(noLimits, { id, key: { counters: 't/k', limits: noLimits } });
const settlement = { tokens: 1, cost_microusd: 0, counted: true };

test('[limit.key] each step is taken on the tenant and on the key, under an id of its own', async () => {
  const { asked, both } = counters({});
  expect(await both.reserve(ofKey())).toMatchObject({ ok: true });
  await both.begin('t', 'c');
  await both.extend('t', 'c');
  await both.settle('t', 'c', settlement);
  expect(asked.sort()).toEqual(
    ['begin', 'extend', 'reserve', 'settle'].flatMap((step) => [`${step} t c`, `${step} t/k c/key`]),
  );
});

test('[limit.key] a call of another key takes one step each', async () => {
  const { asked, both } = counters({});
  await both.reserve(call(noLimits, { id: 'c' }));
  await both.begin('t', 'c');
  await both.settle('t', 'c', settlement);
  expect(asked).toEqual(['reserve t c', 'begin t c', 'settle t c']);
});

test.each([
  ['the tenant', { t: refused(3) }, 3, ['settle t/k c/key']],
  ['the key', { 't/k': refused(4) }, 4, ['settle t c']],
  ['both, the tenant for longer', { t: refused(9), 't/k': refused(4) }, 9, []],
  ['both, the key for longer', { t: refused(3), 't/k': refused(4) }, 4, []],
])(
  '[limit.key] refused by %s: what the other reserved goes back, and the longer wait is told',
  async (_, answers, wait, back) => {
    const { asked, both } = counters(answers);
    expect(await both.reserve(ofKey())).toMatchObject({ ok: false, retryAfterSeconds: wait });
    expect(asked.filter((step) => step.startsWith('settle'))).toEqual(back);
    // The call is over: what comes of its id later is the tenant's alone.
    asked.length = 0;
    await both.begin('t', 'c');
    expect(asked).toEqual(['begin t c']);
  },
);

test.each(['t', 't/k'])(
  '[limit.key] a store that fails for %s refuses the call and gives the other part back',
  async (holder) => {
    const { asked, both } = counters({ [holder]: new Error('the store is away') });
    await expect(both.reserve(ofKey())).rejects.toThrow('the store is away');
    expect(asked.filter((step) => step.startsWith('settle'))).toEqual([
      holder === 't' ? 'settle t/k c/key' : 'settle t c',
    ]);
  },
);

test('[limit.key] what is left is that of the tighter holder, for requests and tokens apart', async () => {
  const tenant = {
    limit_requests: 60,
    remaining_requests: 5,
    reset_requests: 9,
    limit_tokens: 100,
    remaining_tokens: 1,
  };
  const key = { limit_requests: 10, remaining_requests: 2, reset_requests: 3, limit_tokens: 50, remaining_tokens: 40 };
  const { both } = counters({ t: passed(tenant), 't/k': passed(key) });
  expect(await both.reserve(ofKey())).toMatchObject({
    limits: { limit_requests: 10, remaining_requests: 2, reset_requests: 3, limit_tokens: 100, remaining_tokens: 1 },
  });
});
