/** The views of chat calls. */
import { isoTime } from '#core/kernel/ports.ts';
import { bucketsOf, totalsOf } from '#core/observatory/buckets.ts';
import { type Dimension, everyTenant, maxNames } from '#core/observatory/dimensions.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { rebuild } from '#core/observatory/rebuild.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { setting } from '../support/observation-stores.ts';
import { sampleBlock, sampleChat, sampleEntry } from '../unit/observatory/sample.ts';

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

  test('groups fit into a transaction, however many filters found something and however many models there are', async () => {
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

  test('a group in which most entries have counted before counts the others', async () => {
    const { observations } = await setting();
    const entries = calls(40);
    await observations.apply(entries.slice(0, 37).map(projectEntry));
    await observations.apply(entries.map(projectEntry));
    expect((await observations.usage('default', {})).requests).toBe(40);
  });

  test('requests come newest first, page by page, by model and outcome, none older than asked for', async () => {
    const { observations } = await setting();
    const failed = { outcome: 'failed', model: 'fast', resolved_model: 'mock' };
    const entries = Array.from({ length: 25 }, (_, n) => sampleChat(n, n % 5 === 0 ? failed : {}));
    await observations.apply(entries.map(projectEntry));
    await observations.apply([projectEntry(sampleChat(0, {}, { tenant: 'other' }))]);
    const all = async (query: object) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await observations.requests('default', {
          since: '',
          limit: 3,
          ...query,
          ...(cursor && { cursor }),
        });
        expect(page.items.length).toBeLessThanOrEqual(3);
        ids.push(...page.items.map(({ envelope_id }) => envelope_id));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return ids;
    };
    expect(await all({})).toEqual(entries.map(({ envelope_id }) => envelope_id).reverse());
    expect(await all({ outcome: 'failed' })).toEqual(['e20', 'e15', 'e10', 'e5', 'e0']);
    expect(await all({ model: 'fast' })).toEqual(['e20', 'e15', 'e10', 'e5', 'e0']);
    expect(await all({ model: 'mock', outcome: 'completed' })).toHaveLength(20);
    expect(await all({ model: 'none' })).toEqual([]);
    expect(await all({ since: entries[22]!.timestamp })).toEqual(['e24', 'e23', 'e22']);
    const [row] = (await observations.requests('default', { since: '', limit: 1 })).items;
    expect(row).toEqual(projectEntry(entries[24]!).request);
  });

  test('[analytics.buckets] minutes by dimension: of the tenant, and of all tenants together', async () => {
    const { observations } = await setting();
    const at = (n: number, minute: number, over: object, tenant = 'default') =>
      sampleChat(n, over, { tenant, timestamp: `2026-01-01T00:0${minute}:0${n}.000Z` });
    const entries = [
      at(0, 1, { latency_ms: 10 }),
      at(1, 1, { latency_ms: 480 }),
      at(2, 2, { outcome: 'failed' }),
      at(3, 2, {}, 'other'),
    ];
    for (let round = 0; round < 2; round++)
      for (const entry of entries) await observations.apply([projectEntry(entry)]);
    const query = { from: '2026-01-01T00:01:30.000Z', to: '2026-01-01T00:02:00.000Z' } as const;
    const read = async (scope: string, dimension: Dimension) =>
      bucketsOf(await observations.minutes(scope, { dimension, ...query }), '1m');
    expect(await read('default', 'model:mock')).toMatchObject([
      { timestamp: '2026-01-01T00:01:00.000Z', requests: 2, errors: 0, p50_latency_ms: 10, p99_latency_ms: 478 },
      { timestamp: '2026-01-01T00:02:00.000Z', requests: 1, errors: 1, error_rate: 1 },
    ]);
    expect((await read('other', 'tenant:other')).map(({ requests }) => requests)).toEqual([1]);
    expect((await read(everyTenant, 'model:mock')).map(({ requests }) => requests)).toEqual([2, 2]);
    expect((await read(everyTenant, 'global')).map(({ tokens }) => tokens)).toEqual([240, 240]);
    expect(await read('default', 'global')).toEqual([]);
    expect(await read('default', 'model:other')).toEqual([]);
    expect(await observations.dimensions('other', query)).toEqual(['model:mock', 'provider:mock']);
    expect(
      await observations.dimensions('other', { from: '2027-01-01T00:00:00Z', to: '2027-01-02T00:00:00Z' }),
    ).toEqual([]);
  });

  test('[analytics.hours] hours answer what their minutes answer, wherever a span begins and ends', async () => {
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

  test('[analytics.bounded] names that callers make up are counted under `other` past a bound, each call once', async () => {
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
      async *entries(_tenant: string, _session: string, from = 0) {
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
