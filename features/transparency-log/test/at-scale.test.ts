/** Simulation of the evidence projection with its transparency log [evidence.at-scale]. */
import { simulateProjection } from '../../../bench/simulated/projection.ts';
import { runs } from '../../../test/support/extent.ts';

test('[evidence.at-scale] every entry of a busy tenant is archived, signed and logged within 30 seconds', async () => {
  const rate = runs(2_000, 250);
  const tally = await simulateProjection({
    tenants: 1,
    entriesPerSecond: rate,
    sessions: rate / 2,
    seconds: 32,
    shards: 8,
  });
  expect(tally.uncovered).toBe(0);
  expect(tally.lagSeconds.p99).toBeLessThan(30);
  // Chains are covered every five seconds, each time with one signature of a checkpoint and one of the log.
  expect(tally.signatures).toBeLessThanOrEqual(16);
});

test('[evidence.at-scale] a hundred tenants share the shard writers', async () => {
  const rate = runs(10_000, 400);
  const tally = await simulateProjection({
    tenants: 100,
    entriesPerSecond: rate,
    sessions: Math.ceil(rate / 100),
    seconds: 8,
    shards: 20,
  });
  expect(tally.uncovered).toBe(0);
  expect(tally.lagSeconds.p99).toBeLessThan(30);
});
