/** How an amount is divided among keys and tenants. */
import { CallerShares } from '#core/limits/caller-shares.ts';

const caller = (tenant: string, key: number) => ({ tenant, key_id: `${tenant}-${key}` });

test('[http.tenant-share] many keys of one tenant get three quarters, and what a refused one asked for is not counted', () => {
  const shares = new CallerShares(16);
  const keys = Array.from({ length: 20 }, (_, key) => caller('greedy', key));
  const refused = keys.filter((key) => shares.take(key) !== undefined);
  expect(refused).toHaveLength(8);
  expect(shares.take(refused[0]!)).toEqual({ of: 'tenant', held: 12 });
  expect(shares.take(caller('other', 0))).toBeUndefined();
  shares.give(caller('other', 0));
  shares.give(keys[0]!);
  expect(shares.take(refused[0]!)).toBeUndefined();
});

test('[http.open-requests] one key of a tenant still gets half', () => {
  const shares = new CallerShares(16);
  for (let at = 0; at < 8; at++) expect(shares.take(caller('one', 0))).toBeUndefined();
  expect(shares.take(caller('one', 0))).toEqual({ of: 'key', held: 8 });
  expect(shares.take(caller('one', 1))).toBeUndefined();
});
