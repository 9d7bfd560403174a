/** The leases of one process. Each is large enough to be worth taking, and is returned to its shard. */
import { type HeldLease, LeaseBook, returnOf, sameRates } from '#core/limits/lease-book.ts';
import type { ReserveRequest } from '#core/limits/ports.ts';

const now = 1_000_000;
const lease = (shard: number): HeldLease => ({
  id: 'l',
  shard,
  limits: { budgets: [] },
  second: now / 1000 + 10,
  status: {},
  requestsLeft: 5,
  tokensLeft: 500,
  requestsUsed: 0,
  tokensUsed: 0,
});
const request = (limits: object = { requests_per_minute: 100_000 }): ReserveRequest =>
  ({
    tenant: 't',
    id: 'i',
    session_id: 's',
    tokens: 1,
    cost_microusd: 0,
    limits: { budgets: [], ...limits },
  }) as unknown as ReserveRequest;

test('[limit.shards] a lease is returned only once, and only by an operation on its own shard', () => {
  const book = new LeaseBook();
  const held = lease(2);
  book.hold('t', held);
  expect(book.takeBack('t', 1)).toBeUndefined();
  expect(book.takeBack('other', 2)).toBeUndefined();
  expect(book.takeBack('t', 2)).toBe(held);
  expect(book.takeBack('t', 2)).toBeUndefined();
});

test('[limit.shards] calls are counted per second and shard, and the count restarts in another second or shard', () => {
  const book = new LeaseBook();
  book.counted('t', 1, now);
  book.counted('t', 1, now + 999);
  expect([book.own('t', 1, now), book.own('t', 2, now), book.own('t', 1, now + 1000)]).toEqual([2, 0, 0]);
});

test('[limit.shards] the size of a lease depends on recent calls, and is 0 below three calls or without shards', () => {
  const book = new LeaseBook();
  for (let call = 0; call < 2; call++) book.note(request(), now);
  expect(book.sizeFor(request(), 1)).toBe(0);
  book.note(request(), now);
  expect(book.sizeFor(request(), 1)).toBe(3);
  expect(book.sizeFor(request(), 0)).toBe(0);
  for (let call = 0; call < 40; call++) book.note(request(), now);
  expect(book.sizeFor(request(), 1)).toBe(10);
  expect(book.sizeFor(request({ requests_per_minute: 800 }), 1)).toBe(4);
  book.note(request(), now + 10_001);
  expect(book.sizeFor(request(), 1)).toBe(0);
});

test('[limit.shards] a lease can be spent down to its last request and token, but only before it expires and under its original limits', () => {
  const book = new LeaseBook();
  const held = lease(0);
  book.hold('t', held);
  const { limits } = held;
  const spend = (tokens: number, at = now, under = limits) =>
    book.spend({ ...request(), tokens, limits: under }, at) === held;
  expect([spend(501), spend(1, now + 10_000), spend(1, now, { budgets: [], requests_per_minute: 1 })]).toEqual([
    false,
    false,
    false,
  ]);
  expect([spend(200, now + 9_999), spend(300, now, { budgets: [] })]).toEqual([true, true]);
  expect([spend(1), spend(0), spend(0), spend(0), spend(0)]).toEqual([false, true, true, true, false]);
  expect(returnOf(held)).toEqual({ id: 'l', requests: 5, tokens: 500 });
});

test('[limit.shards] the unused part of a call’s reservation returns to the lease', () => {
  const book = new LeaseBook();
  const held = lease(0);
  book.hold('t', held);
  book.spend({ ...request(), tokens: 100, limits: held.limits }, now);
  book.settle(held, 100, { tokens: 30, cost_microusd: 0, counted: true });
  expect(held).toMatchObject({ requestsLeft: 4, tokensLeft: 470, requestsUsed: 1, tokensUsed: 30 });
  book.settle(held, 30, { tokens: 0, cost_microusd: 0, counted: false });
  expect(held).toMatchObject({ requestsLeft: 5, tokensLeft: 500, requestsUsed: 0, tokensUsed: 0 });
});

test('[limit.shards] limits with a budget are equal only if they are the same object', () => {
  const rates = { requests_per_minute: 5, tokens_per_minute: 7, budgets: [] };
  const dear = { ...rates, budgets: [{} as never] };
  expect([sameRates(rates, { ...rates }), sameRates(dear, dear)]).toEqual([true, true]);
  const others = [dear, { ...rates, requests_per_minute: 6 }, { ...rates, tokens_per_minute: 8 }];
  expect(others.map((other) => sameRates(rates, other))).toEqual([false, false, false]);
  expect(sameRates(dear, rates)).toBe(false);
});

test('[limit.shards] a lease that could not be returned is kept, unless another lease was taken', () => {
  const book = new LeaseBook();
  const [first, second] = [lease(1), lease(2)];
  book.hold('t', first);
  book.takeBack('t', 1);
  book.keep('t', first);
  expect(book.takeBack('t', 1)).toBe(first);
  book.hold('t', second);
  book.keep('t', first);
  expect(book.takeBack('t', 1)).toBeUndefined();
  expect(book.takeBack('t', 2)).toBe(second);
});

test('[limit.shards] while one call acquires a lease, no other call of the tenant does; after a failed attempt another call may', async () => {
  const book = new LeaseBook();
  for (let call = 0; call < 5; call++) book.note(request(), now);
  let during: number | undefined;
  const failed = book.taking('t', async () => {
    during = book.sizeFor(request(), 1);
    throw new Error('no lease');
  });
  await expect(failed).rejects.toThrow('no lease');
  expect([during, book.sizeFor(request(), 1)]).toEqual([0, 5]);
});
