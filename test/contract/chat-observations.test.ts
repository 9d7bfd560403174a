/** The views of chat calls. */
import { isoTime } from '#core/kernel/ports.ts';
import { bucketsOf, totalsOf } from '#core/observatory/buckets.ts';
import { everyTenant, maxNames } from '#core/observatory/dimensions.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { rebuild } from '#core/observatory/rebuild.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { sampleBlock, sampleChat, sampleEntry } from '../unit/observatory/sample.ts';
import { setting } from './observation-stores.ts';

describe('the views of chat calls', () => {
  const calls = (n: number) => Array.from({ length: n }, (_, i) => sampleChat(i));

  test('[admin.usage] requests, tokens, cost and outcomes by model, each call once however often delivered', async () => {
    const { observations } = await setting();
    const entries = [
      ...calls(3),
      sampleChat(3, { resolved_model: 'gpt-4o', outcome: 'failed', cost_microusd: 7, cache: undefined }),
      sampleChat(4, { outcome: 'cached', cache: 'HIT', cost_microusd: 0, cache_evictions: 2 }),
    ];
    for (let round = 0; round < 2; round++) {
      await Promise.all([...entries, ...entries].map((entry) => observations.apply([projectEntry(entry)])));
      await observations.apply(entries.map(projectEntry));
    }
    const usage = await observations.usage('default', {});
    expect(usage).toMatchObject({
      total: 0,
      requests: 5,
      tokens: { input: 500, output: 100 },
      cost_microusd: 3 * 250 + 7,
      cost_usd: 0.000757,
      outcomes: { completed: 3, failed: 1, cached: 1 },
      cache: { hits: 1, semantic_hits: 0, misses: 3, evictions: 2 },
    });
    expect(usage.models).toEqual([
      { model: 'mock', requests: 4, input_tokens: 400, output_tokens: 80, cost_usd: 0.00075, errors: 0 },
      { model: 'gpt-4o', requests: 1, input_tokens: 100, output_tokens: 20, cost_usd: 0.000007, errors: 1 },
    ]);
  });

  test('groups fit into a transaction with many findings and models', async () => {
    const { observations } = await setting();
    const findings = Array.from({ length: 80 }, (_, n) => ({
      policy: `filter-${n}`,
      type: 'keyword',
      action: n === 79 ? 'block' : 'warn',
      phase: 'input',
      count: 1,
    }));
    const entries = calls(60).map((_, n) => sampleChat(n, { resolved_model: `m${n}`, ...(n === 7 && { findings }) }));
    await observations.apply(entries.map(projectEntry));
    const usage = await observations.usage('default', {});
    expect([usage.requests, usage.models.length]).toEqual([60, 60]);
    expect(usage.content.by_action).toEqual({ warn: 79, block: 1 });
    const { items } = await observations.violations('default', { limit: 200 });
    expect(items).toHaveLength(50);
    expect(items.filter((each) => 'action' in each && each.action === 'block')).toHaveLength(1);
  });

  test('[admin.analytics] hours equal the sum of their minutes for any span', async () => {
    const { observations } = await setting();
    const entries = Array.from({ length: 90 }, (_, n) =>
      sampleChat(
        n,
        { latency_ms: 7 * n + 1, outcome: n % 7 === 0 ? 'failed' : 'completed' },
        {
          tenant: n % 3 === 0 ? 'other' : 'default',
          timestamp: isoTime(Date.parse('2026-01-01T00:00:00Z') + n * 143_000),
        },
      ),
    );
    const projections = entries.map(projectEntry);
    // Batches that overlap: an entry that comes again raises its hour no more than its minute.
    for (let n = 0; n < projections.length; n += 20)
      await observations.apply(projections.slice(Math.max(0, n - 5), n + 20));
    const nowMs = Date.parse('2026-01-01T04:30:00.000Z');
    const spans = [
      ['00:00', '03:34'],
      ['00:17', '02:59'],
      ['00:00', '01:00'],
      ['01:10', '01:50'],
      ['00:59', '03:00'],
      ['02:00', '04:30'],
    ] as const;
    for (const [scope, dimension] of [
      ['default', 'model:mock'],
      ['other', 'tenant:other'],
      [everyTenant, 'global'],
    ] as const) {
      for (const [first, last] of spans) {
        const query = { dimension, from: `2026-01-01T${first}:00.000Z`, to: `2026-01-01T${last}:00.000Z` };
        const byMinutes = bucketsOf(await observations.minutes(scope, query), '1h');
        const byHours = bucketsOf(await sumsBetween(observations, scope, { ...query, step: '1h' }, nowMs), '1h');
        expect(byHours).toEqual(byMinutes);
        if (first === '00:00') expect(byHours.length).toBeGreaterThan(0);
      }
    }
    expect(
      await observations.hours('default', { dimension: 'model:mock', from: '2026-01-01T00', to: '2026-01-01T03' }),
    ).toHaveLength(4);
  });

  test('[admin.analytics] names that callers make up are counted under `other` past a bound, each call once', async () => {
    const { observations } = await setting();
    const most = maxNames('default');
    const entries = Array.from({ length: most + 60 }, (_, n) =>
      sampleEntry(n, { timestamp: '2026-01-01T00:00:00.000Z', body: { tool: `tool-${n}-${'x'.repeat(300)}` } }),
    );
    const projections = entries.map(projectEntry);
    for (let n = 0; n < projections.length; n += 90) await observations.apply(projections.slice(n, n + 90));
    const span = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:59.000Z' };
    const listed = await observations.dimensions('default', span);
    expect(listed).toHaveLength(most + 1);
    expect(Math.max(...listed.map(({ length }) => length))).toBeLessThan(140);
    const counts = await Promise.all(
      listed.map(
        async (dimension) =>
          totalsOf((await observations.minutes('default', { dimension, ...span })).map(({ measures }) => measures))
            .requests,
      ),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(entries.length);
    expect(counts[listed.indexOf('tool:other')]).toBe(60);
    expect(await observations.dimensions(everyTenant, span)).toHaveLength(entries.length);
  });

  test('projected again from an emptied table, the views are the same', async () => {
    const [first, second] = [await setting(), await setting()];
    const entries = [...calls(50), sampleBlock(50), sampleEntry(51, { kind: 'review' })];
    for (const entry of entries) await first.observations.apply([projectEntry(entry)]);
    const evidence = {
      sessions: async () => ({ items: [{ session_id: 's1', updated_at: '9' } as never] }),
      async *rows(_tenant: string, _session: string, from = 0) {
        yield* entries.slice(from);
      },
    };
    let cursor: string | undefined;
    let pieces = 0;
    do {
      const piece = await rebuild({ evidence, observations: second.observations }, 'default', {
        atMost: 20,
        ...(cursor && { cursor }),
      });
      cursor = piece.cursor;
      pieces++;
    } while (cursor !== undefined);
    expect(pieces).toBe(3);
    const views = async ({ observations }: typeof first) => [
      await observations.usage('default', {}),
      await observations.violations('default', { limit: 200 }),
      await observations.requests('default', { since: '', limit: 200 }),
      await observations.minutes('default', { dimension: 'model:mock', from: '2026', to: '2027' }),
      await observations.minutes(everyTenant, { dimension: 'global', from: '2026', to: '2027' }),
    ];
    expect(await views(second)).toEqual(await views(first));
  });
});
