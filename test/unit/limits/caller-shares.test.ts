/** Division of an amount between keys and tenants. */

import * as fc from 'fast-check';
import { CallerShares, FairShare } from '#core/limits/caller-shares.ts';

const caller = (tenant: string, key: number) => ({ tenant, key_id: `${tenant}-${key}` });

test('[http.connections] all keys of one tenant together get at most three quarters, and refused requests do not count', () => {
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

test('[http.connections] a single key of a tenant gets at most half', () => {
  const shares = new CallerShares(16);
  for (let at = 0; at < 8; at++) expect(shares.take(caller('one', 0))).toBeUndefined();
  expect(shares.take(caller('one', 0))).toEqual({ of: 'key', held: 8 });
  expect(shares.take(caller('one', 1))).toBeUndefined();
});

/** Takes one unit at a time until none is left. */
const greedy = (share: FairShare, holder: string): number => {
  while (share.take(holder));
  return share.held(holder);
};

test('[http.connections] the first key gets half, and later keys divide the rest', () => {
  const share = new FairShare(16);
  expect(['one', 'two', 'three'].map((holder) => greedy(share, holder))).toEqual([8, 4, 2]);
  share.give('one', 8);
  expect(greedy(share, 'two')).toBe(7);
});

test('[http.connections] an amount is granted in full or not at all', () => {
  const share = new FairShare(100);
  expect([share.take('one', 101), share.take('one', 50), share.take('one', 1)]).toEqual([false, true, false]);
  expect([share.take('two', 51), share.take('two', 25), share.held('two')]).toEqual([false, true, 25]);
});

test('[http.connections] a new key gets a share if there are fewer keys than times the amount can be halved', () => {
  const moves = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 300 });
  fc.assert(
    fc.property(moves, (sent) => {
      const share = new FairShare(16);
      for (const [holder, takes] of sent) {
        if (takes) share.take(holder);
        else if (share.held(holder) > 0) share.give(holder);
      }
      expect(share.take('newcomer')).toBe(true);
    }),
  );
});
