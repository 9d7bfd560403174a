/** The cost of repeated requests, and requests that are not repetitions. */
import { repeatedRequests } from '../cost-recommendations.ts';

const row = (
  request_sha256: string,
  cost_microusd = 100,
  outcome: 'completed' | 'cached' | 'blocked' = 'completed',
) => ({
  request_sha256,
  resolved_model: 'big',
  outcome,
  cost_microusd,
});
const off = { enabled: false, max_temperature: 0 };

test('[admin.cost-recommendations] repeats are added up and the most expensive are named, not counting the first request of each', () => {
  const rows = [row('a', 300), row('b', 900), row('a', 300), row('c'), row('b', 800), row('a', 500)];
  const [all, ...each] = repeatedRequests(rows, off);
  expect(all).toMatchObject({
    kind: 'cache_potential',
    saving_usd: 0.0015,
    figures: { calls: 6, repeats: 3, cost_usd: 0.0015, cache: 'off' },
  });
  expect(all!.message).toContain('cache.enabled');
  expect(
    each.map(({ kind, saving_usd, figures }) => [kind, saving_usd, figures.request_sha256, figures.calls]),
  ).toEqual([
    ['repeated_request', 0.0009, 'b', 2],
    ['repeated_request', 0.0006, 'a', 3],
  ]);
});

test('[admin.cost-recommendations] cached and refused calls do not count as repeats', () => {
  expect(repeatedRequests([row('a', 0, 'cached'), row('a'), row('b', 0, 'blocked'), row('b')], off)).toEqual([]);
  expect(repeatedRequests([], off)).toEqual([]);
});

test('[admin.cost-recommendations] at most five requests are listed, and an active cache is reported with the requests it does not cover', () => {
  const rows = Array.from({ length: 20 }, (_, n) => row(`r-${n % 10}`, n));
  const found = repeatedRequests(rows, { enabled: true, max_temperature: 0.2 });
  expect(found).toHaveLength(6);
  expect(found[0]).toMatchObject({
    message: expect.stringContaining('temperature 0.2'),
    figures: { cache: 'on', repeats: 10 },
  });
});
