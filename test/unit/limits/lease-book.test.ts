/** The leases of one process: returned to the shard they are of, and large enough to be worth it. */
import { type HeldLease, LeaseBook } from '#core/limits/lease-book.ts';
import type { ReserveRequest } from '#core/limits/ports.ts';

const now = 1_000_000;
const lease = (shard: number): HeldLease => ({
  ...{ id: 'l', shard, limits: { budgets: [] }, second: now / 1000 + 10, status: {} },
  ...{ requestsLeft: 5, tokensLeft: 500, requestsUsed: 0, tokensUsed: 0 },
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

test('[limit.lease] a lease goes back once, with a step on its own shard only', () => {
  const book = new LeaseBook();
  const held = lease(2);
  book.hold('t', held);
  expect(book.takeBack('t', 1)).toBeUndefined();
  expect(book.takeBack('other', 2)).toBeUndefined();
  expect(book.takeBack('t', 2)).toBe(held);
  expect(book.takeBack('t', 2)).toBeUndefined();
});

test('[limit.lease] calls of this second at this shard are counted; another shard or second begins again', () => {
  const book = new LeaseBook();
  book.counted('t', 1, now);
  book.counted('t', 1, now + 999);
  expect([book.own('t', 1, now), book.own('t', 2, now), book.own('t', 1, now + 1000)]).toEqual([2, 0, 0]);
});

test('[limit.lease] a lease is as large as what the process lately called, and none below three calls or without shards', () => {
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
