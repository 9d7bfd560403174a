/** How an amount is divided among keys. */
import * as fc from 'fast-check';
import { FairShare } from '#core/limits/fair-share.ts';

/** Takes one at a time until there is no more. */
const greedy = (share: FairShare, holder: string): number => {
  while (share.take(holder));
  return share.held(holder);
};

test('[http.open-requests] one key gets half, and what is left is divided among those who come later', () => {
  const share = new FairShare(16);
  expect(['one', 'two', 'three'].map((holder) => greedy(share, holder))).toEqual([8, 4, 2]);
  share.give('one', 8);
  expect(greedy(share, 'two')).toBe(7);
});

test('[http.open-requests] an amount is got whole or not at all', () => {
  const share = new FairShare(100);
  expect([share.take('one', 101), share.take('one', 50), share.take('one', 1)]).toEqual([false, true, false]);
  expect([share.take('two', 51), share.take('two', 25), share.held('two')]).toEqual([false, true, 25]);
});

test('[http.open-requests] whatever others hold, a key that holds nothing gets one, as long as there are fewer keys than the amount halves', () => {
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
